import { counted } from '../../../base/text/counted.js';
import type { LiveSeries } from '../series/live-series.js';
import type { MetricName } from '../series/metric-names.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';
import type { HealthStore } from './health-store.js';

/** What the checks of everyday work look at. */
export interface TrafficCheckSources {
  store: HealthStore;
  series: LiveSeries;
  /** When files were last compared with their rows, POSIX ms; `null`: not by this process. */
  lastCollectionTs: () => number | null;
}

const LAST_HOUR = 'counted in the last hour';
/** Below so many attempts in an hour a share says nothing. */
const MIN_ATTEMPTS = 10;
const BAD_SHARE = 0.5;

/** Failing fetches and previews, alarming key events, lost files. */
export function trafficChecks(sources: TrafficCheckSources): NamedCheck[] {
  return [
    {
      key: 'key_fetches',
      title: 'Key fetches',
      how: LAST_HOUR,
      look: () => checkKeyFetches(sources),
    },
    { key: 'previews', title: 'Previews', how: LAST_HOUR, look: () => checkPreviews(sources) },
    {
      key: 'key_alerts',
      title: 'Key changes',
      how: 'asked the database',
      look: () => checkKeyAlarms(sources.store),
    },
    {
      key: 'missing_files',
      title: 'Media files',
      how: 'compared the rows of media with the files',
      isOfProcess: true,
      look: () => checkMissing(sources),
    },
  ];
}

async function checkKeyFetches({ series }: TrafficCheckSources): Promise<Finding> {
  const { all, bad } = await lastHour(series, 'key_fetches', 'key_fetch_failures');
  const sentence = failedOf(all, bad, { one: 'key fetch', many: 'key fetches' });
  if (all === 0) return unproved(sentence, '/keys');
  if (!isBad(all, bad)) return fine(sentence, '/keys');
  return warning(
    sentence,
    'Diagnose one of the failing servers: when all fail, the error is on our side (DNS, firewall, proxy).',
    '/keys?failing=true',
  );
}

async function checkPreviews({ series }: TrafficCheckSources): Promise<Finding> {
  const { all, bad } = await lastHour(series, 'preview_requests', 'preview_failures');
  const [refused] = await series.series(['preview_unavailable'], 'hour');
  const unavailable = refused?.total ?? 0;
  if (isBad(all + unavailable, unavailable))
    return failed(
      `${unavailable} of ${all + unavailable} requests for previews in the last hour were refused with 503 unread.`,
      'Look at the lines of access tokens and of the database.',
      '/previews?tab=refused',
    );
  const sentence = failedOf(all, bad, { one: 'preview', many: 'previews' });
  if (all === 0) return unproved(sentence, '/previews');
  if (!isBad(all, bad)) return fine(sentence, '/previews');
  return warning(
    sentence,
    'Try one of the failed addresses: the trace names the stage and the reason.',
    '/previews?tab=memory&state=FAILED',
  );
}

async function lastHour(
  live: LiveSeries,
  attempts: MetricName,
  failures: MetricName,
): Promise<{ all: number; bad: number }> {
  const series = await live.series([attempts, failures], 'hour');
  return { all: series[0]?.total ?? 0, bad: series[1]?.total ?? 0 };
}

function failedOf(all: number, bad: number, noun: { one: string; many: string }): string {
  if (all === 0) return `No ${noun.many} in the last hour.`;
  return `${bad} of ${all} ${all === 1 ? noun.one : noun.many} failed in the last hour.`;
}

function isBad(all: number, bad: number): boolean {
  return all >= MIN_ATTEMPTS && bad / all >= BAD_SHARE;
}

async function checkKeyAlarms(store: HealthStore): Promise<Finding> {
  const { servers, latest } = await store.openAlarms();
  if (latest === null) return fine('No alarm of keys waits for somebody to look at it.', '/keys');
  const others = servers === 1 ? '' : ` and ${servers - 1} more`;
  return failed(
    `The keys of ${latest}${others} raised an alarm that nobody has acknowledged.`,
    'Ask the people of that server whether they meant it, then acknowledge it on its page.',
    servers === 1 ? `/keys/${encodeURIComponent(latest)}` : '/keys?look=true',
  );
}

async function checkMissing({ store, lastCollectionTs }: TrafficCheckSources): Promise<Finding> {
  const missing = await store.missingFiles();
  if (missing === 0) {
    const provedTs = lastCollectionTs();
    if (provedTs === null) return unproved('Files have not been compared since the start.', '/media');
    return { ...fine('Every stored file was there at the last look.', '/media'), provedTs };
  }
  return warning(
    `${counted(missing, 'stored file')} ${missing === 1 ? 'is' : 'are'} gone from disk though nobody deleted ${missing === 1 ? 'it' : 'them'}.`,
    `Restore ${missing === 1 ? 'it from a backup, or delete the entry' : 'them from a backup, or delete the entries'}.`,
    '/media?file=MISSING',
  );
}
