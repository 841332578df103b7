import { MINUTE_MS, type Clock } from '../../../base/clock.js';
import type { InstanceStore } from '../instance-store.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';
import type { HealthStore } from './health-store.js';

/** How the latest cleaning run of this process ended. */
export interface LastRun {
  /** POSIX ms. */
  startedTs: number;
  outcome: 'ok' | 'failed' | 'cancelled' | 'skipped';
  reason: string | null;
}

/** What the checks of background work look at. */
export interface JobCheckSources {
  store: HealthStore;
  clock: Clock;
  instances: InstanceStore;
  /** Whether cleanup runs in this process. */
  runsMediaJobs: boolean;
  /** `null`: none yet. */
  lastCleanup(): LastRun | null;
  /** Setting media_instance_running_background_jobs. */
  designatedInstance: string | null;
}

const ALIVE_MS = 3 * MINUTE_MS;
/** Reasons for which a run is skipped though all is well. */
const HARMLESS = new Set(['running_elsewhere', 'clock_jumped']);

/** Cleanup and pauses. */
export function jobChecks(sources: JobCheckSources): NamedCheck[] {
  return [
    {
      key: 'cleanup',
      title: 'Cleanup',
      how: 'the last run of the job',
      isOfProcess: true,
      look: () => checkCleanup(sources),
    },
    {
      key: 'pauses',
      title: 'Paused jobs',
      how: 'asked the database',
      look: () => checkPauses(sources.store),
    },
  ];
}

async function checkCleanup(sources: JobCheckSources): Promise<Finding> {
  if (!sources.runsMediaJobs) return checkDesignated(sources);
  const last = sources.lastCleanup();
  if (last === null) return unproved('Cleanup has not run yet since the start.', '/jobs');
  return { ...findingOn(last), provedTs: last.startedTs };
}

function findingOn(last: LastRun): Finding {
  if (last.outcome !== 'failed') {
    const isHarmless = last.reason === null || HARMLESS.has(last.reason) || last.outcome === 'ok';
    return fine(
      isHarmless ? 'Expired previews and media are removed every 10 s.' : 'Cleanup waits for its next turn.',
      '/jobs',
    );
  }
  return failed(
    `The last cleanup failed: ${last.reason ?? 'unknown reason'}.`,
    'Expired previews and media stay until it works; the log has the details.',
    '/jobs',
  );
}

async function checkDesignated({ instances, clock, designatedInstance }: JobCheckSources): Promise<Finding> {
  const nowTs = clock.now();
  const known = await instances.list();
  const running = known.find((info) => info.runsMediaJobs && nowTs - info.lastSeenTs < ALIVE_MS);
  if (running !== undefined) {
    const { name, lastSeenTs: provedTs } = running;
    return { ...fine(`Cleanup is left to ${name}, which is alive.`, '/jobs'), provedTs };
  }
  return failed(
    `Nobody cleans up: ${designatedInstance ?? 'the designated instance'} has not been seen lately.`,
    'Start that instance, or name another one in media_instance_running_background_jobs.',
    '/settings?q=media_instance_running_background_jobs',
  );
}

async function checkPauses(store: HealthStore): Promise<Finding> {
  const paused = await store.pausedJobs();
  const first = paused[0];
  if (first === undefined) return fine('No job is paused.', '/jobs');
  const names = paused.length === 1 ? `${first.job} is` : `${first.job} and ${paused.length - 1} more are`;
  return warning(
    `${names} paused by ${first.pausedBy}${first.reason === '' ? '' : `: ${first.reason}`}.`,
    'Resume it when the reason is gone; meanwhile the store grows.',
    '/jobs',
  );
}
