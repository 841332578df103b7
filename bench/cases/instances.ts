import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { startNginxFor } from '../../tests/support/proxies/nginx-for-instances.js';
import type { RunningProxy } from '../../tests/support/proxies/running-proxy.js';
import { objectStoreMissing, startObjectStore } from '../../tests/support/s3/object-store.js';
import { startPostgresServer } from '../../tests/support/store/postgres-server.js';
import {
  startPreviewServer,
  startPreviewWorld,
  type PreviewServer,
  type PreviewWorld,
} from '../support/preview-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import type { ReportLine } from '../support/report.js';
import { compareThroughput, type Throughput } from '../support/throughput.js';

const NAMES = ['first', 'second', 'third'];
const SERVER_NAME = 'notary.bench.example';
const AT_ONCE = 16;
const COLD = 48;
const KNOWN = 4000;

/** What is asked for, through which proxy. */
interface Asked {
  world: PreviewWorld;
  servers: readonly PreviewServer[];
  proxy: RunningProxy;
}

/**
 * Throughput of three instances on one PostgreSQL against that of one of them, behind the same nginx, in turns; with
 * media in a folder, and as objects where an object store can be had.
 */
export async function benchInstances(folder: string): Promise<ReportLine[]> {
  const onDisk = join(folder, 'on-disk');
  mkdirSync(onDisk);
  const lines = await benchWith('in a folder', onDisk, { media_store_path: join(onDisk, 'media') });
  const missing = objectStoreMissing();
  if (missing !== null) return [...lines, leftOut(missing)];
  const store = await startObjectStore();
  try {
    const asObjects = join(folder, 'as-objects');
    mkdirSync(asObjects);
    const media = { storage: 's3', s3: await store.makeBucket('media') };
    return [...lines, ...(await benchWith('as objects', asObjects, { media }))];
  } finally {
    await store.remove();
  }
}

function leftOut(why: string): ReportLine {
  return { case: 'media as objects', figures: {}, text: why, mark: null, reached: null };
}

/** `media`: the settings that say where it lies. */
async function benchWith(
  where: string,
  folder: string,
  media: Record<string, unknown>,
): Promise<ReportLine[]> {
  const postgres = await startPostgresServer();
  const world = await startPreviewWorld();
  const servers: PreviewServer[] = [];
  const proxies: RunningProxy[] = [];
  try {
    const settings = {
      signing_key_path: join(folder, 'signing.key'),
      database: { engine: 'postgresql', url: postgres.url() },
      ...media,
    };
    for (const instance of NAMES) {
      const own = join(folder, instance);
      mkdirSync(own);
      servers.push(await startPreviewServer({ folder: own, settings: { ...settings, jobs: { instance } } }));
    }
    const ports = servers.map(({ port }) => port);
    for (const those of [ports.slice(0, 1), ports]) proxies.push(await startNginxFor(SERVER_NAME, those));
    const known = world.take('page', AT_ONCE);
    const cold = () => world.take('page', COLD);
    const repeated = () => Array.from({ length: KNOWN }, (_, index) => known[index % known.length] ?? '');
    return [
      await compareBoth(`cold previews, media ${where}`, cold, { world, servers, proxies }),
      await compareBoth(`known previews, media ${where}`, repeated, { world, servers, proxies }),
    ];
  } finally {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all([world.end(), postgres.remove()]);
  }
}

async function compareBoth(
  what: string,
  paths: () => string[],
  { proxies: [alone, all], ...rest }: Omit<Asked, 'proxy'> & { proxies: readonly RunningProxy[] },
): Promise<ReportLine> {
  if (alone === undefined || all === undefined) throw new Error('there are not two proxies');
  return compareThroughput(
    `${what}, three instances against one behind nginx`,
    { name: 'one', measure: () => ask(paths(), { ...rest, proxy: alone }) },
    { name: 'three', measure: () => ask(paths(), { ...rest, proxy: all }) },
  );
}

async function ask(paths: string[], { world, servers, proxy }: Asked): Promise<Throughput> {
  const before = await cpuOf(servers);
  const [first] = servers;
  const job = { port: Number(new URL(proxy.url).port), authorization: first?.authorization ?? '' };
  const startedMs = performance.now();
  const { answered, failed } = await world.load.run({ ...job, paths, atOnce: AT_ONCE, durationMs: null });
  // Thumbnails follow the answers.
  await Promise.all(servers.map((server) => server.settle()));
  const seconds = (performance.now() - startedMs) / 1000;
  if (failed > 0) throw new Error(`${failed} of ${answered} previews failed`);
  return { perSecond: answered / seconds, cpuMs: ((await cpuOf(servers)) - before) / answered };
}

async function cpuOf(servers: readonly PreviewServer[]): Promise<number> {
  const each = await Promise.all(servers.map(({ pid }) => cpuMsOf(pid)));
  return each.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
}
