import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SECOND_MS, MINUTE_MS } from '../../src/core/base/clock.js';
import { sampleImage } from '../core/preview/media/sample-images.js';
import { tagged } from '../rest/clients/preview/preview-kit.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../support/origins/remote-server.js';
import type { S3Client } from '../../src/core/net/object-storage/s3-client.js';
import { startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import { proxyMissing } from '../support/proxies/reverse-proxies.js';
import { NO_LIMIT, objectStoreMissing, storedSizes } from '../support/s3/object-store.js';
import { startTestService } from '../support/service.js';
import { testEngines } from '../support/store/databases.js';
import { KEY_QUERY_MS, MixedLoad, type Asked } from './mixed-load.js';
import { balanceWith } from './media-on-disk.js';
import {
  startThreeInstances,
  untilReady,
  withDatabase,
  type Instance,
  type ThreeInstances,
} from './three-instances.js';

const SERVERS = 24;
const EXPIRED = 300;
const HELD = '/held';
const TAKEN_OVER_MS = 30 * SECOND_MS;
/** Media younger than a quarter of an hour may belong to a row that somebody still writes. */
const OLDER_MS = 70 * MINUTE_MS;
const ORPHAN = 'url_cache/2026-01-02/ABCDEFGHIJKLMNop';

const missing = testEngines().includes('postgresql')
  ? (objectStoreMissing() ?? proxyMissing('nginx'))
  : 'skipped: there is no PostgreSQL';

describe.skipIf(missing !== null)(`three instances behind nginx ${missing ?? ''}`, () => {
  const undo: (() => Promise<unknown>)[] = [];
  let three: ThreeInstances;
  let site: RemoteSite;
  let servers: RemoteServer[];
  let heldServer: RemoteServer;
  let load: MixedLoad;
  /** When something was away, from and until. */
  const away: { what: string; fromMs: number; untilMs: number; asked: Asked[] }[] = [];
  /** When the killed one was being started: it answers before it is ready, and nginx does not know. */
  let restart: { fromMs: number; untilMs: number };
  let killedMs: number;
  let takingOver: Promise<Asked[]>;
  let takenOver: Asked[];

  /** What is asked for while it is away, and until all have noticed that it is back. */
  const whileAway = async (what: string, server: { stop(): Promise<void>; start(): Promise<void> }) => {
    const fromMs = performance.now();
    await server.stop();
    const asked = await load.answers(40);
    await server.start();
    await untilReady(three.instances.filter(({ running }) => running.child.signalCode === null));
    away.push({ what, fromMs, untilMs: performance.now(), asked });
    await load.answers(30);
  };

  /** One instance is killed while it works on what another is asked for, too. */
  const killOne = async (): Promise<void> => {
    const [victim, other] = three.instances;
    const { respond } = heldServer.origin;
    heldServer.origin.respond = () => undefined;
    const lost = [load.preview(HELD, victim!.url), load.keys(heldServer, victim!.url)];
    await until(() => hits(HELD) === 1 && heldServer.hits() === 1);
    heldServer.origin.respond = respond;
    takingOver = Promise.all([load.preview(HELD, other!.url), keysInTime(other!)]);
    await load.answers(10);
    killedMs = performance.now();
    victim!.running.child.kill('SIGKILL');
    await Promise.all([victim!.running.finished, ...lost]);
  };

  /** Whose query was answered because its time was over asks again. */
  const keysInTime = async (instance: Instance): Promise<Asked> => {
    for (;;) {
      const asked = await load.keys(heldServer, instance.url);
      if (asked.endedMs - asked.startedMs < KEY_QUERY_MS) return asked;
    }
  };

  beforeAll(async () => {
    const authority = await createTestAuthority();
    site = await startRemoteSite();
    undo.push(
      () => authority.remove(),
      () => site.close(),
    );
    servePages(site, await sampleImage(900, 700).jpeg().toBuffer());
    const record = { validUntilTs: Date.now() + 86_400_000 };
    servers = await Promise.all(Array.from({ length: SERVERS }, () => startRemoteServer(authority, record)));
    heldServer = await startRemoteServer(authority, record);
    undo.push(() => Promise.all([...servers, heldServer].map(({ origin }) => origin.close())));
    three = await startThreeInstances({
      federation_custom_ca_list: [authority.caPath],
      ip_range_whitelist: ['127.0.0.0/8'],
      url_preview_ip_range_whitelist: ['127.0.0.0/8'],
    });
    undo.push(() => three.remove());
    load = new MixedLoad({ url: three.proxy.url, token: three.token, site, servers });
    await addExpired(three);
    load.start();
    await load.answers(60);
    await killOne();
    await load.answers(40);
    await load.pause();
    takenOver = await takingOver;
    load.start();
    await whileAway('PostgreSQL', three.postgres);
    await whileAway('the object store', three.objects);
    const fromMs = performance.now();
    await three.startAgain(three.instances[0]!);
    restart = { fromMs, untilMs: performance.now() };
    await load.answers(40);
    await load.pause();
  });
  afterAll(async () => {
    for (const step of undo.toReversed()) await step();
  });

  const hits = (path: string): number => site.hits.filter((hit) => hit.path === path).length;
  const isWithin = ({ startedMs, endedMs }: Asked): boolean =>
    [...away, restart].some(({ fromMs, untilMs }) => startedMs < untilMs && endedMs > fromMs);
  const wasInFlight = ({ startedMs, endedMs }: Asked): boolean => startedMs < killedMs && endedMs > killedMs;

  it('no answer is wrong, and errors are 502 or 503 with Retry-After, while something is away', () => {
    const bad = load.asked.filter((asked) => {
      const { status, retryAfter, fault } = asked;
      if (status === 200) return fault !== null;
      if (status === null) return !wasInFlight(asked);
      return !isWithin(asked) || (status !== 502 && status !== 503) || retryAfter === null;
    });
    expect(bad).toEqual([]);
  });

  it('what was known is answered while something is away', () => {
    for (const { what, asked } of away) {
      const answered = asked.filter(({ status }) => status === 200).map(({ kind }) => kind);
      expect([what, ...new Set(answered)]).toEqual(expect.arrayContaining([what, 'preview', 'keys']));
    }
  });

  it('what the killed one was at is taken over within thirty seconds', () => {
    expect(takenOver.map(({ status, fault }) => [status, fault])).toEqual([
      [200, null],
      [200, null],
    ]);
    for (const { endedMs } of takenOver) expect(endedMs - killedMs).toBeLessThan(TAKEN_OVER_MS);
    expect([hits(HELD), heldServer.hits()]).toEqual([2, 2]);
  });

  it('nothing is downloaded or fetched more often than by each instance once, but what was lost on the way', () => {
    const times = new Map([
      ...load.pages().map((path) => [path, hits(path)] as const),
      ...servers.map((server) => [server.serverName, server.hits()] as const),
    ]);
    const twice = [...times].filter(([name, count]) => {
      const about = load.asked.filter(({ about, kind }) => about === name && kind !== 'thumbnail');
      const lost = about.filter((asked) => asked.status !== 200 || wasInFlight(asked));
      return count > three.instances.length + lost.length;
    });
    expect(twice).toEqual([]);
  });

  it('everything that was ever asked for is there now, and nothing is downloaded again for it', async () => {
    const kept = new Map([...load.pictures.keys()].map((path) => [path, hits(path)]));
    const again = [
      ...load.pages().map((path) => async () => [await load.preview(path), await load.thumbnail(path)]),
      ...servers.map((server) => async () => [await load.keys(server)]),
    ];
    const asked = (await inTurns(again)).flat();

    expect(asked.filter(({ status, fault }) => status !== 200 || fault !== null)).toEqual([]);
    expect([...kept].filter(([path, before]) => hits(path) !== before)).toEqual([]);
  });

  it('what had expired was cleaned up, and never by two at a time', async () => {
    const runs = await withDatabase(three.postgres, ({ client }) =>
      client.jobRun.findMany({ where: { job: 'preview_cleanup' }, orderBy: { startedTs: 'asc' } }),
    );
    const removed = runs.map(({ counts }) => (counts as { previews?: number }).previews ?? 0);
    const beside = runs.filter(({ startedTs }, at) => at > 0 && startedTs < (runs[at - 1]?.finishedTs ?? 0n));

    expect(removed.reduce((sum, count) => sum + count, 0)).toBe(EXPIRED);
    expect(beside).toEqual([]);
  });

  it('after a garbage collection no object is without a row, and no row without its object', async () => {
    const orphan = { method: 'PUT', key: ORPHAN, body: Buffer.from('nobody knows it') } as const;
    (await three.bucket.send(orphan, NO_LIMIT)).resume();
    const { settings } = three;
    await three.stop();
    // It makes media, and the comparison is about what the load has left.
    const later = await startTestService({ settings, clock: new ManualClock(Date.now()) });
    const { previews, jobs } = later.context.services;
    const { job, work } = previews.collector;
    const collect = async (laterMs: number) => {
      const { finished } = await jobs.runner.start({
        job,
        actor: 'alice',
        work: (progress, nowTs) => work(progress, nowTs + laterMs),
      });
      return finished;
    };
    expect((await collect(0)).counts['files_without_row']).toBeUndefined();
    // Objects cannot be dated back: it is later there instead.
    const last = await collect(OLDER_MS);
    await later.remove();

    const balance = await balanceWith(three.databaseOptions, await sizesIn(three.bucket));
    expect(last).toMatchObject({ outcome: 'ok' });
    expect(last.counts['files_without_row']).toBeGreaterThan(0);
    expect(balance).toMatchObject({ rowsWithoutFile: [], filesWithoutRow: [], previewsWithoutMedia: [] });
    expect(balance.media).toBeGreaterThan(2 * load.pictures.size - 1);
  });
});

function servePages(site: RemoteSite, jpeg: Buffer): void {
  const get = site.pages.get.bind(site.pages);
  site.pages.get = (path) =>
    get(path) ??
    ((_request, response) => {
      // Only the first one waits, until its connection breaks.
      if (path === HELD && site.hits.filter((hit) => hit.path === HELD).length === 1) return;
      const isImage = path.endsWith('.jpg');
      response.writeHead(200, { 'content-type': isImage ? 'image/jpeg' : 'text/html' });
      response.end(isImage ? jpeg : tagged({ 'og:title': path, 'og:image': `${path}.jpg` }));
    });
}

/** Rows for the next cleanup. */
async function addExpired({ postgres }: ThreeInstances): Promise<void> {
  const row = {
    responseCode: 200,
    etag: null,
    expiresTs: 1n,
    openGraph: '{}',
    createdTs: 1n,
    downloadTs: 1n,
  };
  const data = Array.from({ length: EXPIRED }, (_, index) => ({
    ...row,
    url: `http://old.test/${index}`,
    urlSha256: String(index),
    mediaId: `2026-01-01_${String(index)}`,
  }));
  await withDatabase(postgres, ({ client }) => client.previewCache.createMany({ data }));
}

async function sizesIn(bucket: S3Client): Promise<Map<string, number>> {
  const sizes = await storedSizes(bucket);
  sizes.delete('health/probe');
  return sizes;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Eight at a time. */
async function inTurns<Result>(work: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const [left, results] = [[...work], [] as Result[]];
  const next = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) results.push(await one());
  };
  await Promise.all(Array.from({ length: 8 }, next));
  return results;
}
