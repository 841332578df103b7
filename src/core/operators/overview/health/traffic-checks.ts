import type { Clock } from '../../../base/clock.js';
import { counted } from '../../../base/text/counted.js';
import type { LiveSeries } from '../series/live-series.js';
import type { MetricName } from '../series/metric-names.js';
import { failed, fine, unproved, warning, type Finding, type NamedCheck } from './health-check.js';
import type { HealthStore } from './health-store.js';
import { lastProofTs, provesNow, timeOf, type WatchedJob } from './job-checks.js';

/** What the checks of everyday work look at. */
export interface TrafficCheckSources {
  store: HealthStore;
  series: LiveSeries;
  clock: Clock;
  /** Compares files with their rows. */
  collection: WatchedJob;
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

interface Attempts {
  all: number;
  /** Of those: failed. */
  bad: number;
}

async function checkKeyFetches({ series }: TrafficCheckSources): Promise<Finding> {
  const { all, bad } = await lastHour(series, 'key_fetches', 'key_fetch_failures');
  const sentence = failedOf(all, bad, { one: 'key fetch', many: 'key fetches' });
  return judge({ all, bad }, sentence, {
    advice:
      'Diagnose one of the failing servers: when all fail, the error is on our side (DNS, firewall, proxy).',
    href: '/keys',
    failingHref: '/keys?failing=true',
  });
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
  return judge({ all, bad }, sentence, {
    advice: 'Try one of the failed addresses: the trace names the stage and the reason.',
    href: '/previews',
    failingHref: '/previews?tab=memory&state=FAILED',
  });
}

async function lastHour(live: LiveSeries, attempts: MetricName, failures: MetricName): Promise<Attempts> {
  const series = await live.series([attempts, failures], 'hour');
  return { all: series[0]?.total ?? 0, bad: series[1]?.total ?? 0 };
}

function failedOf(all: number, bad: number, noun: { one: string; many: string }): string {
  if (all === 0) return `No ${noun.many} in the last hour.`;
  return `${bad} of ${all} ${all === 1 ? noun.one : noun.many} failed in the last hour.`;
}

/** A few attempts that all failed prove nothing: neither that it works nor that the error is ours. */
function judge(
  { all, bad }: Attempts,
  sentence: string,
  { advice, href, failingHref }: { advice: string; href: string; failingHref: string },
): Finding {
  if (all === 0) return unproved(sentence, href);
  if (isBad(all, bad)) return warning(sentence, advice, failingHref);
  if (bad < all) return fine(sentence, href);
  return { ...unproved(sentence, failingHref), advice: `None succeeded, too few to judge by. ${advice}` };
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

async function checkMissing({ store, clock, collection }: TrafficCheckSources): Promise<Finding> {
  const missing = await store.missingFiles();
  if (missing === 0) {
    const provedTs = await lastProofTs(collection, store);
    if (provedTs === null) return unproved('Files have not been compared lately.', '/media');
    if (provesNow(provedTs, collection, clock))
      return { ...fine('Every stored file was there at the last look.', '/media'), provedTs };
    return { ...unproved(`Files were last compared ${timeOf(provedTs)}.`, '/media'), provedTs };
  }
  return warning(
    `${counted(missing, 'stored file')} ${missing === 1 ? 'is' : 'are'} gone from disk though nobody deleted ${missing === 1 ? 'it' : 'them'}.`,
    `Restore ${missing === 1 ? 'it from a backup, or delete the entry' : 'them from a backup, or delete the entries'}.`,
    '/media?file=MISSING',
  );
}
