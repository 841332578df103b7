import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { OPTIMIZATIONS } from '../../src/core/base/runtime/optimizations.js';
import type { Optimization } from '../../src/core/base/runtime/optimizations.js';
import type { LoadJob, LoadOutcome } from '../processes/load.js';
import { startWorker } from '../support/child.js';
import type { Worker } from '../support/child.js';
import { median } from '../support/compare.js';
import { startKeyWorld } from '../support/key-world.js';
import type { KeyWorld } from '../support/key-world.js';
import { startPreviewServer, startPreviewWorld } from '../support/preview-world.js';
import type { PreviewServer, PreviewWorld } from '../support/preview-world.js';
import { cpuMsOf } from '../support/process-usage.js';
import { formatNumber } from '../support/report.js';
import type { ReportLine } from '../support/report.js';
import { allKeys, batch, bytesOf, send } from '../support/requests.js';
import type { BenchRequest } from '../support/requests.js';

const TURNS = 10;
const SLICE_MS = 500;
const CONNECTIONS = 24;
const CACHED_SERVERS = 100;
/** What each process has not asked for yet, and how many of them it asks for at once. */
const UNKNOWN_SERVERS = 570;
const FETCHED = 38;
const PREVIEWS = 24;
const HOSTILE_PAGES = 2;
const AT_ONCE = 16;
/** Tasks before anything is measured: until what they run is compiled. */
const WARM_UP = 5;

/** What a user asks for, whose processor time a trick is to spare; resolves with how many were answered. */
type Task = (server: PreviewServer, world: World) => Promise<number>;

interface World {
  keys: KeyWorld;
  previews: PreviewWorld;
  load: Worker<LoadJob, LoadOutcome>;
  /** Servers whose keys both processes have in memory. */
  cached: readonly string[];
  unknown: readonly string[];
  /** How many of them a process has asked for, by its port. */
  fetched: Map<number, number>;
  minimumTs: number;
}

const cachedKey: Task = (server, world) => repeated(server, world, allKeys(world.cached[0] ?? ''));
const sameBatch: Task = (server, world) =>
  repeated(server, world, batch(world.cached, world.keys.keyId, world.minimumTs));
const otherBatches: Task = (server, world) => {
  const request = batch(world.cached, world.keys.keyId, world.minimumTs);
  return repeated(server, world, { ...request, varying: String(world.minimumTs) });
};
const firstFetch: Task = async ({ port }, { keys, unknown, fetched }) => {
  const from = fetched.get(port) ?? 0;
  fetched.set(port, from + FETCHED);
  await send(port, batch(unknown.slice(from, from + FETCHED), keys.keyId, Date.now()));
  return FETCHED;
};
const coldPreviews = previewsOf('page', PREVIEWS, AT_ONCE);
const hostilePages = previewsOf('hostile', HOSTILE_PAGES, 1);

/** Every trick with what it is measured by. */
const MEASURED_BY: Record<Optimization, Record<string, Task>> = {
  buffer_pool: { 'cold previews': coldPreviews },
  gathered_log: { 'cached key': cachedKey },
  heap_flags: { 'first fetch': firstFetch, 'cold previews': coldPreviews },
  request_id_batches: { 'cached key': cachedKey },
  request_options: { 'cold previews': coldPreviews },
  response_cache: { 'the same batch': sameBatch, 'other batches': otherBatches },
  thread_priorities: { 'cold previews': coldPreviews },
  wal_thread: { 'cold previews': coldPreviews },
  young_collection: { 'hostile pages': hostilePages },
};

/** Processor time of each trick, switched on and off by its name in the setting, in turns. */
export async function benchTricks(folder: string): Promise<ReportLine[]> {
  const lines: ReportLine[] = [];
  for (const trick of OPTIMIZATIONS) lines.push(...(await measureTrick(join(folder, trick), trick)));
  return lines;
}

async function measureTrick(folder: string, trick: Optimization): Promise<ReportLine[]> {
  mkdirSync(folder);
  const { settings, ...world } = await startWorld(folder);
  const without = OPTIMIZATIONS.filter((name) => name !== trick);
  const start = async (name: string, optimizations: readonly Optimization[]): Promise<PreviewServer> => {
    mkdirSync(join(folder, name));
    return startPreviewServer(join(folder, name), { ...settings, runtime: { optimizations } });
  };
  const servers = [await start('on', OPTIMIZATIONS), await start('off', without)] as const;
  const lines: ReportLine[] = [];
  try {
    for (const { port } of servers) await send(port, batch(world.cached, world.keys.keyId, world.minimumTs));
    for (const [title, task] of Object.entries(MEASURED_BY[trick])) {
      lines.push(await compareTurns(`${trick}: ${title}`, servers, { task, world }));
    }
  } finally {
    const ends = [world.load, world.previews, world.keys].map((each) => each.end());
    await Promise.all([...ends, ...servers.map((server) => server.stop())]);
  }
  return lines;
}

async function startWorld(folder: string): Promise<World & Pick<KeyWorld, 'settings'>> {
  const keys = await startKeyWorld((pem) => {
    const path = join(folder, 'ca.pem');
    writeFileSync(path, pem);
    return path;
  });
  const cached = keys.take(CACHED_SERVERS, 'explicit');
  const previews = await startPreviewWorld();
  const load: World['load'] = startWorker('load');
  const unknown = keys.take(UNKNOWN_SERVERS, 'explicit');
  const { settings } = keys;
  return { keys, previews, load, cached, unknown, fetched: new Map(), minimumTs: Date.now(), settings };
}

async function compareTurns(
  title: string,
  servers: readonly [PreviewServer, PreviewServer],
  { task, world }: { task: Task; world: World },
): Promise<ReportLine> {
  const spent: [number[], number[]] = [[], []];
  for (const server of servers) for (let i = 0; i < WARM_UP; i += 1) await task(server, world);
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const which of [0, 1] as const) spent[which].push(await cpuMsEach(servers[which], task, world));
  }
  const [on, off] = [median(spent[0]), median(spent[1])];
  return {
    case: title,
    figures: { onCpuMs: on, offCpuMs: off, ratio: off / on },
    text: `${spread(spent[0])} ms CPU, off ${spread(spent[1])} ms: ${Math.round((off / on - 1) * 100)} % more`,
    mark: null,
    reached: null,
  };
}

async function cpuMsEach(server: PreviewServer, task: Task, world: World): Promise<number> {
  const before = await cpuMsOf(server.pid);
  const count = await task(server, world);
  const after = await cpuMsOf(server.pid);
  return ((after ?? 0) - (before ?? 0)) / count;
}

/** Median with the least and the most. */
function spread(values: readonly number[]): string {
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map(formatNumber);
  return `${middle} (${least} to ${most})`;
}

async function repeated({ port }: PreviewServer, { load }: World, request: BenchRequest): Promise<number> {
  const { varying = null } = request;
  const job = { port, request: bytesOf(request), connections: CONNECTIONS, durationMs: SLICE_MS, varying };
  return (await load.run(job)).requests;
}

function previewsOf(kind: 'page' | 'hostile', count: number, atOnce: number): Task {
  return async ({ port, authorization }, { previews }) => {
    const paths = previews.take(kind, count);
    const { failed } = await previews.load.run({ port, authorization, paths, atOnce, durationMs: null });
    if (failed > 0) throw new Error(`${failed} previews failed`);
    return count;
  };
}
