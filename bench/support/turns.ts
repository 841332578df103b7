import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { LoadJob, LoadOutcome } from '../processes/load.js';
import { startWorker, type Worker } from './child.js';
import { median } from './compare.js';
import { startKeyWorld, type KeyWorld } from './key-world.js';
import {
  startPreviewServer,
  startPreviewWorld,
  type PreviewServer,
  type PreviewWorld,
} from './preview-world.js';
import { cpuMsOf } from './process-usage.js';
import { formatNumber, type ReportLine } from './report.js';
import { allKeys, batch, bytesOf, countRecords, oneKey, send, type BenchRequest } from './requests.js';

const TURNS = 10;
const SLICE_MS = 500;
const CONNECTIONS = 24;
const CACHED_SERVERS = 100;
/** What each process has not asked for yet, and how many of them it asks for in one question. */
const UNKNOWN_SERVERS = 1140;
const FETCHED = 38;
const FETCHED_SINGLY = 36;
const SINGLY_AT_ONCE = 4;
const PREVIEWS = 24;
const HOSTILE_PAGES = 2;
const AT_ONCE = 16;
/** Tasks before anything is measured: until what they run is compiled. */
const WARM_UP = 5;

/** What a user asks for, whose processor time is measured; resolves with how many were answered. */
export type Task = (server: PreviewServer, world: World) => Promise<number>;

/** What two servers are measured with. */
export interface World {
  keys: KeyWorld;
  previews: PreviewWorld;
  load: Worker<LoadJob, LoadOutcome>;
  /** Servers whose keys both have in memory. */
  cached: readonly string[];
  unknown: readonly string[];
  /** The same, delegated to where their documents stand. */
  delegated: readonly string[];
  /** How many of either a server has asked for, by its port and the first of them. */
  fetched: Map<string, number>;
  minimumTs: number;
}

/** How one of the two is started. */
export interface Contestant {
  name: string;
  settings?: Record<string, unknown>;
  program?: string;
  nodeOptions?: readonly string[];
}

export const cachedKey: Task = (server, world) => repeated(server, world, allKeys(world.cached[0] ?? ''));
export const cachedPost: Task = (server, world) =>
  repeated(server, world, batch(world.cached.slice(0, 1), world.keys.keyId, world.minimumTs));
export const sameBatch: Task = (server, world) =>
  repeated(server, world, batch(world.cached, world.keys.keyId, world.minimumTs));
export const otherBatches: Task = (server, world) => {
  const request = batch(world.cached, world.keys.keyId, world.minimumTs);
  return repeated(server, world, { ...request, varying: String(world.minimumTs) });
};
export const firstFetch: Task = async (server, world) => {
  const names = nextUnknown(server, world, { of: world.unknown, count: FETCHED });
  await send(server.port, batch(names, world.keys.keyId, Date.now()));
  return FETCHED;
};
export const singleFetches: Task = (server, world) => fetchSingly(server, world, world.unknown);
export const delegatedFetches: Task = (server, world) => fetchSingly(server, world, world.delegated);
export const cachedPreview: Task = (server, world) => {
  const { authorization } = server;
  const path = world.previews.fixedPath;
  return repeated(server, world, { method: 'GET', path, body: null, authorization });
};
export const coldPreviews = previewsOf('page', PREVIEWS, AT_ONCE);
export const hostilePages = previewsOf('hostile', HOSTILE_PAGES, 1);

async function fetchSingly(server: PreviewServer, world: World, of: readonly string[]): Promise<number> {
  const waiting = nextUnknown(server, world, { of, count: FETCHED_SINGLY });
  const fetchNext = async (): Promise<void> => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const records = countRecords(await send(server.port, oneKey(name, world.keys.keyId)));
      if (records !== 1) throw new Error(`${name}: ${records} records`);
    }
  };
  await Promise.all(Array.from({ length: SINGLY_AT_ONCE }, fetchNext));
  return FETCHED_SINGLY;
}

/** Processor time of each task on both servers in turns, the first one's beside the second's. */
export async function measureInTurns(
  folder: string,
  contestants: readonly [Contestant, Contestant],
  tasks: Readonly<Record<string, Task>>,
): Promise<ReportLine[]> {
  const world = await startWorld(folder);
  const servers = [await world.start(contestants[0]), await world.start(contestants[1])] as const;
  const lines: ReportLine[] = [];
  try {
    for (const [title, task] of Object.entries(tasks)) {
      const spent = await spendInTurns(servers, task, world);
      lines.push(lineOf(title, contestants[1].name, spent));
    }
  } finally {
    await Promise.all([world.end(), ...servers.map((server) => server.stop())]);
  }
  return lines;
}

async function startWorld(folder: string) {
  mkdirSync(folder, { recursive: true });
  const keys = await startKeyWorld((pem) => {
    const path = join(folder, 'ca.pem');
    writeFileSync(path, pem);
    return path;
  });
  const cached = keys.take(CACHED_SERVERS, 'explicit');
  const previews = await startPreviewWorld();
  const load: World['load'] = startWorker('load');
  const unknown = keys.take(UNKNOWN_SERVERS, 'discovered');
  const delegated = keys.take(UNKNOWN_SERVERS, 'delegated');
  const fetched = new Map<string, number>();
  const world: World = { keys, previews, load, cached, unknown, delegated, fetched, minimumTs: Date.now() };
  return {
    ...world,
    start: async ({ name, settings, ...how }: Contestant): Promise<PreviewServer> => {
      mkdirSync(join(folder, name));
      const all = { ...keys.settings, ...settings };
      const server = await startPreviewServer({ folder: join(folder, name), settings: all, ...how });
      await send(server.port, batch(cached, keys.keyId, world.minimumTs));
      return server;
    },
    end: () => Promise.all([load, previews, keys].map((each) => each.end())),
  };
}

type Spent = readonly [number[], number[]];

async function spendInTurns(
  servers: readonly [PreviewServer, PreviewServer],
  task: Task,
  world: World,
): Promise<Spent> {
  const spent: Spent = [[], []];
  for (const server of servers) for (let i = 0; i < WARM_UP; i += 1) await task(server, world);
  for (let turn = 0; turn < TURNS; turn += 1) {
    // What the first leaves behind, caches of the machine say, is not always the second's.
    for (const which of turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      spent[which].push(await cpuMsEach(servers[which], task, world));
  }
  return spent;
}

function lineOf(title: string, other: string, spent: Spent): ReportLine {
  const ratios = spent[1].map((there, turn) => there / (spent[0][turn] ?? 0));
  return {
    case: title,
    figures: { cpuMs: median(spent[0]), otherCpuMs: median(spent[1]), ratio: median(ratios) },
    text: `${spread(spent[0])} ms CPU, ${other} ${spread(spent[1])} ms: ${spread(ratios)} times`,
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

function nextUnknown(
  { port }: PreviewServer,
  { fetched }: World,
  { of, count }: { of: readonly string[]; count: number },
): string[] {
  const key = `${port} ${of[0]}`;
  const from = fetched.get(key) ?? 0;
  fetched.set(key, from + count);
  if (from + count > of.length) throw new Error('there are not enough remote servers for all turns');
  return of.slice(from, from + count);
}

async function repeated({ port }: PreviewServer, { load }: World, request: BenchRequest): Promise<number> {
  const { varying = null } = request;
  const job = { port, request: bytesOf(request), connections: CONNECTIONS, durationMs: SLICE_MS, varying };
  return (await load.run(job)).requests;
}

function previewsOf(kind: 'page' | 'hostile', count: number, atOnce: number): Task {
  return async (server, { previews }) => {
    const { port, authorization } = server;
    const paths = previews.take(kind, count);
    const { failed } = await previews.load.run({ port, authorization, paths, atOnce, durationMs: null });
    if (failed > 0) throw new Error(`${failed} previews failed`);
    await server.settle();
    return count;
  };
}
