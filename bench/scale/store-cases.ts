import { DAY_MS, systemClock } from '../../src/core/base/clock.js';
import { createLogger } from '../../src/core/base/logger.js';
import { JobLeaseStore } from '../../src/core/job-runner/job-lease-store.js';
import { JobRunStore } from '../../src/core/job-runner/job-run-store.js';
import { JobRunner } from '../../src/core/job-runner/job-runner.js';
import { FetchStore } from '../../src/core/notary/keys/fetch-store.js';
import { knownOrigins } from '../../src/core/operators/health/known-origins.js';
import { openAlarms } from '../../src/core/operators/keys/key-alarms.js';
import { recentFailures } from '../../src/core/operators/overview/recent-failure-store.js';
import { CountStore } from '../../src/core/operators/overview/totals/count-store.js';
import { measureTotals } from '../../src/core/operators/overview/totals/measure-totals.js';
import { TotalStore } from '../../src/core/operators/overview/totals/total-store.js';
import { ClockWatch } from '../../src/core/preview/cleanup/clock-watch.js';
import { ExpiredStore } from '../../src/core/preview/cleanup/expired-store.js';
import { PreviewCleanup } from '../../src/core/preview/cleanup/preview-cleanup.js';
import { MediaFiles } from '../../src/core/preview/media/media-files.js';
import { DiskStorage } from '../../src/core/preview/media/storage/disk-storage.js';
import { urlSha256 } from '../../src/core/preview/pipeline/preview-store.js';
import type { Database } from '../../src/core/store/db.js';
import { eventPages } from '../lists/events.js';
import { serverPages } from '../lists/keys.js';
import { mediaPages } from '../lists/media.js';
import { previewPages } from '../lists/previews.js';
import type { Filled } from './fill.js';
import { eachOf, measureInTurns, middleOf, type MeasuredCase, type Meter, type Spent } from './spent.js';

/** What was measured, by the name of the case. */
export type Measured = Map<string, Spent>;

/** A filled database that is open, and the folder of its media. */
export interface Store extends Pick<Filled, 'previews'> {
  database: Database;
  meter: Meter;
  folder: string;
}

interface StoreCase extends MeasuredCase {
  warmUps: number;
  measure: () => Promise<Spent>;
}

const TURNS = 5;
const WARM_UPS = 20;
const RUNS = 3;
/** In a run of the cleanup, which takes so many at once. */
const CLEANED = 500;
const ASKED_AT_ONCE = 500;
const LONG_AGO_MS = 3 * DAY_MS;

/**
 * What operators wait for, which is every first page and the figures of the overview, and the cleanup; of each store
 * in turn. `part`: only cases that have it in their name.
 */
export async function measureStores(stores: readonly Store[], part: string): Promise<Measured[]> {
  const all = stores.map((store) => casesOf(store).filter(({ name }) => name.includes(part)));
  for (const cases of all)
    for (let run = 0; run < WARM_UPS; run += 1)
      for (const { warmUps, measure } of cases) if (run < warmUps) await measure();
  const spent = await measureInTurns(TURNS, all);
  return spent.map((cases) => new Map(Array.from(cases, ([name, each]) => [name, middleOf(each)])));
}

function casesOf(store: Store): StoreCase[] {
  const lists = listCalls(store.database).map(([name, call]) => ({
    name,
    warmUps: WARM_UPS,
    runs: RUNS,
    measure: () => store.meter.measure(call),
  }));
  return [
    ...lists,
    { name: 'cleanup of a preview with its media', warmUps: 0, runs: 1, measure: cleanupOf(store) },
  ];
}

function listCalls(database: Database): [name: string, call: () => Promise<unknown>][] {
  const totals = new TotalStore(database);
  const counts = new CountStore({ database, totals, clock: systemClock, mediaRetentionMs: 2 * DAY_MS });
  const named = (list: string, pages: ReadonlyMap<string, () => Promise<unknown>>) =>
    Array.from(pages, ([name, call]): [string, () => Promise<unknown>] => [`${list}: ${name}`, call]);
  return [
    ...named('servers', serverPages(database)),
    ...named('previews', previewPages(database)),
    ...named('media', mediaPages(database)),
    ...named('events', eventPages(database)),
    ['overview: keys', () => counts.keys()],
    ['overview: previews', () => counts.previews()],
    ['overview: media', () => counts.media()],
    ['overview: latest failures', () => recentFailures(database, [])],
    ['health: origins that gave their keys latest', () => knownOrigins(database)],
    ['health: open alarms', () => openAlarms(database)],
    ['look for what has expired, in vain', () => new ExpiredStore(database).hasExpired(0, 0)],
    [
      'forget ten old fetches, and servers never reached',
      () => new FetchStore(database).prune(systemClock.now(), 10),
    ],
  ];
}

/** Counts everything, which nobody waits for. */
export function measureTotalsOf(database: Database, meter: Meter): Promise<Spent> {
  const options = { database, totals: new TotalStore(database), clock: systemClock };
  return meter.measure(() => measureTotals(options, new AbortController().signal));
}

/** Of addresses those whose previews are still stored. */
export async function storedOf({ client }: Database, addresses: readonly string[]): Promise<string[]> {
  const stored = new Set<string>();
  for (let at = 0; at < addresses.length; at += ASKED_AT_ONCE) {
    const hashes = addresses.slice(at, at + ASKED_AT_ONCE).map(urlSha256);
    const rows = await client.previewCache.findMany({
      where: { urlSha256: { in: hashes } },
      select: { url: true },
    });
    for (const { url } of rows) stored.add(url);
  }
  return addresses.filter((address) => stored.has(address));
}

/** The cleanup of previews all over the table, with their media, for one of them. */
function cleanupOf({ database, meter, previews, folder }: Store): StoreCase['measure'] {
  const { runs } = createCleanup(database, folder);
  const step = Math.floor(previews / CLEANED);
  // Others each time, should the database be measured again, and not beside those that went before.
  let first = systemClock.now() % step;
  return async () => {
    first = await expire(database, { first: first + Math.ceil(step / TURNS), step });
    let cleaned = 0;
    const spent = await meter.measure(async () => {
      const { outcome, counts } = await runs.runDue(systemClock.now());
      if (outcome !== 'ok') throw new Error(`the cleanup ended with ${outcome}`);
      cleaned = counts['previews'] ?? 0;
    });
    return eachOf(spent, cleaned);
  };
}

function createCleanup(database: Database, folder: string): PreviewCleanup {
  const logger = createLogger({ level: 'silent' });
  const runner = new JobRunner({
    store: new JobRunStore(database),
    leases: new JobLeaseStore(database, systemClock),
    clock: systemClock,
    logger,
    instance: 'bench',
  });
  return new PreviewCleanup({
    isAlone: true,
    forgetMemory: async () => undefined,
    expired: new ExpiredStore(database),
    files: new MediaFiles(new DiskStorage(folder)),
    runner,
    clockWatch: new ClockWatch(),
    isReady: () => true,
    mediaRetentionMs: 2 * DAY_MS,
    hitRetentionMs: 30 * DAY_MS,
    logger,
  });
}

/** Lets every preview expire that is a multiple of `step` behind the first, or behind the next that is still there. */
async function expire(
  { client }: Database,
  { first, step }: { first: number; step: number },
): Promise<number> {
  for (let tried = 0; tried < step; tried += 1) {
    const start = (first + tried) % step;
    const ids = Array.from({ length: CLEANED }, (_, at) => 1 + start + at * step);
    const rows = await client.previewCache.findMany({
      where: { id: { in: ids } },
      select: { id: true, mediaId: true, imageMediaId: true },
    });
    if (rows.length === 0) continue;
    const agoTs = BigInt(systemClock.now() - LONG_AGO_MS);
    await client.previewCache.updateMany({
      where: { id: { in: rows.map(({ id }) => id) } },
      data: { expiresTs: agoTs },
    });
    const mediaIds = rows.flatMap(({ mediaId, imageMediaId }) =>
      imageMediaId === null ? [mediaId] : [mediaId, imageMediaId],
    );
    await client.media.updateMany({ where: { mediaId: { in: mediaIds } }, data: { createdTs: agoTs } });
    return start;
  }
  throw new Error('no preview is left to be cleaned up');
}
