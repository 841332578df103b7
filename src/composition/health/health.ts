import { dirname } from 'node:path';

import { HOUR_MS, SECOND_MS } from '../../core/base/clock.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import { clockCheck } from '../../core/operators/health/checks/state.js';
import { databaseCheck } from '../../core/operators/health/checks/storage.js';
import {
  failureShareCheck,
  jobCheck,
  limitsCheck,
  type Limit,
} from '../../core/operators/health/checks/work.js';
import { type Check, Health, PROBE_INTERVAL_MS } from '../../core/operators/health/health.js';
import { CLIENT_LIMITS, LOOKUP_LIMITS, isRequestLimit } from '../../core/operators/health/limit-settings.js';
import { isAlive } from '../../core/operators/overview/instance-store.js';
import {
  fetchFailureReasons,
  previewFailureReasons,
} from '../../core/operators/overview/recent-failure-store.js';
import type { Overview } from '../../core/operators/overview/overview.js';
import { clockOfPostgresql } from '../../core/store/hot-sql.js';
import { programTs } from '../../core/store/migration-files.js';
import { PeriodicJob } from '../../jobs/periodic-job.js';
import { PREVIEW_CLEANUP_INTERVAL_MS, runsHere } from '../../jobs/jobs.js';
import type { JobServices } from '../../core/job-runner/job-registry.js';
import type { Access } from '../access.js';
import type { Instances } from '../instances.js';
import { feature, type Features } from '../features.js';
import type { ContextParts } from '../parts.js';
import type { PreviewServices } from '../preview.js';
import { openFileBounds } from '../start/open-files.js';
import { outsideChecks } from './outside-checks.js';

export interface HealthNeighbours {
  features: Features;
  access: Access;
  instances: Instances;
  jobs: JobServices;
  previews: PreviewServices;
  overview: Overview;
}

/** Soon after the start, when the listeners are open and a proxy in front has noticed. */
const FIRST_PROBE_MS = 15 * SECOND_MS;

export function createHealth(parts: ContextParts, made: HealthNeighbours) {
  const { config, clock, logger, database } = parts;
  const { access, features } = made;
  const health = new Health({ checks: features.healthChecks, clock, logger });
  const probing = new PeriodicJob({
    name: 'probe_health',
    intervalMs: PROBE_INTERVAL_MS,
    firstMs: FIRST_PROBE_MS,
    logger,
    run: () => health.probe(),
  });
  const isSqlite = database.engine === 'sqlite';
  // SQLite reads the clock of this machine.
  const databaseTs = async () => (isSqlite ? null : clockOfPostgresql(database.client));
  return feature(
    { health, stopProbes: () => probing.stop() },
    {
      healthChecks: [
        databaseCheck(database, isSqlite ? dirname(config.database.path) : null),
        clockCheck({ clock, programTs: programTs(database.engine), databaseTs }),
        ...outsideChecks({
          ...parts,
          homeserver: access.homeserver,
          signingKeys: new SigningKeyStore(database),
          findOwnToken: (token) => access.tokens.findValid(token),
        }),
        jobs(parts, made),
        ...shares(parts, made),
        limitsCheck(features.limits),
      ],
      limits: processLimits(parts),
      start: () => probing.start(),
      close: () => probing.stop(),
    },
  );
}

function jobs({ clock }: ContextParts, made: HealthNeighbours): Check {
  const { known, designatedInstance } = made.instances;
  const isCleanerAlive = async (): Promise<boolean> =>
    (await known.list()).some((info) => info.runsMediaJobs && isAlive(info, clock.now()));
  return jobCheck({
    latest: made.jobs.runner.latest,
    pausedJobs: async () => (await made.jobs.jobStore.listPauses()).map(({ job }) => job),
    cleanup: { job: made.previews.cleanup.job, intervalMs: PREVIEW_CLEANUP_INTERVAL_MS },
    ...(runsHere(made.instances)
      ? {}
      : { cleaner: { name: designatedInstance ?? 'another instance', isAlive: isCleanerAlive } }),
    clock,
  });
}

function shares({ clock, database }: ContextParts, { overview, previews }: HealthNeighbours): Check[] {
  const { series } = overview;
  return [
    failureShareCheck({
      id: 'key_fetches',
      title: 'Key fetches',
      series,
      attempts: 'key_fetches',
      failures: ['key_fetch_failures'],
      reasons: () => fetchFailureReasons(database, clock.now() - HOUR_MS),
      noun: 'key fetches',
      advice: 'Diagnose a failing server. When all fail, check DNS, the firewall and outgoing TLS.',
      href: '/keys',
      failuresHref: '/keys?failing=true',
    }),
    failureShareCheck({
      id: 'previews',
      title: 'Previews',
      series,
      attempts: 'preview_requests',
      failures: ['preview_failures', 'preview_unavailable'],
      reasons: async () => previewFailureReasons(previews.cache),
      noun: 'previews',
      advice: 'Try a failed URL to see which stage fails.',
      href: '/previews',
      failuresHref: '/previews',
    }),
  ];
}

function processLimits({ clientBounds, handshakes, resolver }: ContextParts): Limit[] {
  return [
    { title: 'Clients', bounds: clientBounds, settings: CLIENT_LIMITS, isHarmless: isRequestLimit },
    { title: 'TLS handshakes', bounds: handshakes },
    { title: 'Name look-ups', bounds: resolver.bounds, settings: LOOKUP_LIMITS },
    { title: 'Open files', bounds: openFileBounds },
  ];
}
