import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { startNginxFor } from '../../tests/support/proxies/nginx-for-instances.js';
import type { RunningProxy } from '../../tests/support/proxies/running-proxy.js';
import { startPostgresServer } from '../../tests/support/store/postgres-server.js';
import { median } from '../support/compare.js';
import {
  startPreviewServer,
  startPreviewWorld,
  type PreviewServer,
  type PreviewWorld,
} from '../support/preview-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const NAMES = ['first', 'second', 'third'];
const SERVER_NAME = 'notary.bench.example';
const TURNS = 5;
const AT_ONCE = 16;
const COLD = 48;
const KNOWN = 4000;

/** One turn: previews a second, and processor time of all instances for one. */
interface Turn {
  perSecond: number;
  cpuMs: number;
}

/** What is asked for, through which proxy. */
interface Asked {
  world: PreviewWorld;
  servers: readonly PreviewServer[];
  proxy: RunningProxy;
}

/** Throughput of three instances on one PostgreSQL against that of one of them, behind the same nginx, in turns. */
export async function benchInstances(folder: string): Promise<ReportLine[]> {
  const postgres = await startPostgresServer();
  const world = await startPreviewWorld();
  const servers: PreviewServer[] = [];
  const proxies: RunningProxy[] = [];
  try {
    const settings = {
      signing_key_path: join(folder, 'signing.key'),
      media_store_path: join(folder, 'media'),
      database: { engine: 'postgresql', url: postgres.url() },
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
      await compareBoth('cold previews', cold, { world, servers, proxies }),
      await compareBoth('known previews', repeated, { world, servers, proxies }),
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
  { proxies, ...rest }: Omit<Asked, 'proxy'> & { proxies: readonly RunningProxy[] },
): Promise<ReportLine> {
  const turns: Turn[][] = proxies.map(() => []);
  // The first turn compiles, and is left out.
  for (let turn = 0; turn <= TURNS; turn += 1) {
    for (const [at, proxy] of proxies.entries()) {
      const measured = await ask(paths(), { ...rest, proxy });
      if (turn > 0) turns[at]?.push(measured);
    }
  }
  const [one, three] = turns.map((list) => ({
    perSecond: median(list.map(({ perSecond }) => perSecond)),
    cpuMs: median(list.map(({ cpuMs }) => cpuMs)),
  }));
  const ratio = (three?.perSecond ?? 0) / (one?.perSecond ?? 0);
  const shown = (turn?: Turn) =>
    `${formatNumber(turn?.perSecond ?? 0)}/s, ${formatNumber(turn?.cpuMs ?? 0)} ms CPU`;
  return {
    case: `${what}, three instances against one behind nginx`,
    figures: {
      onePerSecond: one?.perSecond ?? null,
      oneCpuMs: one?.cpuMs ?? null,
      threePerSecond: three?.perSecond ?? null,
      threeCpuMs: three?.cpuMs ?? null,
      ratio,
    },
    text: `one ${shown(one)}; three ${shown(three)}: ${ratio.toFixed(2)} times`,
    mark: null,
    reached: null,
  };
}

async function ask(paths: string[], { world, servers, proxy }: Asked): Promise<Turn> {
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
