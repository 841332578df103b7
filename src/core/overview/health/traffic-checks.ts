import { DAY_MS } from '../../clock.js';
import type { Clock } from '../../clock.js';
import type { MetricName } from '../metric-names.js';
import type { MetricStore } from '../metric-store.js';
import { fine, warning } from './health-check.js';
import type { Finding, NamedCheck } from './health-check.js';
import type { HealthStore } from './health-store.js';

/** What the checks of everyday work look at. */
export interface TrafficCheckSources {
  store: HealthStore;
  clock: Clock;
  metrics: MetricStore;
}

/** Below so many attempts in an hour a share says nothing. */
const MIN_ATTEMPTS = 10;
const BAD_SHARE = 0.5;

/** Failing fetches and previews, alarming key events, lost files. */
export function trafficChecks(sources: TrafficCheckSources): NamedCheck[] {
  return [
    { key: 'key_fetches', title: 'Key fetches', look: () => checkKeyFetches(sources) },
    { key: 'previews', title: 'Previews', look: () => checkPreviews(sources) },
    { key: 'key_alerts', title: 'Key changes', look: () => checkKeyAlerts(sources) },
    { key: 'missing_files', title: 'Media files', look: () => checkMissing(sources.store) },
  ];
}

async function checkKeyFetches(sources: TrafficCheckSources): Promise<Finding> {
  const { all, bad } = await lastHour(sources, 'key_fetches', 'key_fetch_failures');
  if (!isBad(all, bad)) return fine(`${bad} of ${all} key fetches failed in the last hour.`, '/keys');
  return warning(
    `${bad} of ${all} key fetches failed in the last hour.`,
    'Diagnose one of the failing servers: when all fail, the fault is on our side (DNS, firewall, proxy).',
    '/keys?failing=true',
  );
}

async function checkPreviews(sources: TrafficCheckSources): Promise<Finding> {
  const { all, bad } = await lastHour(sources, 'preview_requests', 'preview_failures');
  if (!isBad(all, bad)) return fine(`${bad} of ${all} previews failed in the last hour.`, '/previews');
  return warning(
    `${bad} of ${all} previews failed in the last hour.`,
    'Try one of the failed addresses: the trace names the stage and the reason.',
    '/previews?tab=memory&state=FAILED',
  );
}

async function lastHour(
  { metrics, clock }: TrafficCheckSources,
  attempts: MetricName,
  failures: MetricName,
): Promise<{ all: number; bad: number }> {
  const series = await metrics.series([attempts, failures], 'hour', clock.now());
  return { all: series[0]?.total ?? 0, bad: series[1]?.total ?? 0 };
}

function isBad(all: number, bad: number): boolean {
  return all >= MIN_ATTEMPTS && bad / all >= BAD_SHARE;
}

async function checkKeyAlerts({ store, clock }: TrafficCheckSources): Promise<Finding> {
  const alarmed = await store.alarmedServers(clock.now() - DAY_MS);
  const newest = alarmed[0];
  if (newest === undefined) return fine('No key was replaced under its name in the last day.', '/keys');
  const servers = new Set(alarmed).size;
  const others = servers === 1 ? '' : ` and ${servers - 1} more`;
  return warning(
    `Keys of ${newest}${others} changed in a way that should not happen.`,
    'Ask the people of that server whether they meant it before you trust the new key.',
    `/keys/${encodeURIComponent(newest)}?tab=events`,
  );
}

async function checkMissing(store: HealthStore): Promise<Finding> {
  const missing = await store.missingFiles();
  if (missing === 0) return fine('Every stored file was there at the last look.', '/media');
  return warning(
    `${missing} stored files are gone from disk though nobody deleted them.`,
    'Restore them from a backup, or delete the entries.',
    '/media?file=MISSING',
  );
}
