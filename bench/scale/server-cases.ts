import type { DatabaseOptions } from '../../src/core/store/db.js';
import type { LoadJob, LoadOutcome } from '../processes/load.js';
import type { PreviewLoadJob, PreviewLoadOutcome } from '../processes/preview-load.js';
import { startWorker, type Worker } from '../support/child.js';
import { startPreviewServer, type PreviewServer } from '../support/preview-world.js';
import { startVidimus } from '../support/vidimus-process.js';
import { exactCpuMsOf, residentBytesOf } from '../support/process-usage.js';
import { allKeys, batch, bytesOf, countRecords, send, type BenchRequest } from '../support/requests.js';
import { KEY_ID, isFresh, serverName, type Filled } from './fill.js';
import {
  createMeter,
  eachOf,
  measureInTurns,
  middleOf,
  type MeasuredCase,
  type Meter,
  type Spent,
} from './spent.js';
import type { Measured } from './store-cases.js';

const STARTS = 3;
const SETTLE_MS = 6000;
/** The first is not counted, as code that nothing has compiled yet would be measured with it. */
const TURNS = 6;
const SLICE_MS = 500;
const CONNECTIONS = 8;
const SINGLE = 60;
const BATCHES = 2;
const BATCH = 100;
const STORED = 300;
const MB = 1024 * 1024;

/** A filled database, the folder of the server that uses it, and the PostgreSQL that holds it. */
export interface ServedStore {
  options: DatabaseOptions;
  filled: Filled;
  folder: string;
  postmaster: number | null;
}

/** What was measured of a server, and its memory. */
export interface MeasuredServer {
  measured: Measured;
  idleMb: number;
  usedMb: number;
}

/** What the bench asks a running server with. */
interface Askers {
  load: Worker<LoadJob, LoadOutcome>;
  previews: Worker<PreviewLoadJob, PreviewLoadOutcome>;
}

/** Starts, memory, and what users wait for, for one request, of the real server on each filled database in turn. */
export async function measureServers(stores: readonly ServedStore[]): Promise<MeasuredServer[]> {
  const askers: Askers = { load: startWorker('load'), previews: startWorker('preview-load') };
  const servers: PreviewServer[] = [];
  try {
    const starts = await middleOfTurns(STARTS + 1, stores.map(startCase));
    for (const { options, folder } of stores)
      servers.push(await startPreviewServer({ folder, settings: settingsFor(options) }));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const idleMb = await Promise.all(servers.map(residentMb));
    const cases: MeasuredCase[][] = [];
    for (const [at, store] of stores.entries()) {
      const server = servers[at];
      if (server !== undefined) cases.push(await casesOf(server, store, askers));
    }
    const uses = await middleOfTurns(TURNS, cases);
    const usedMb = await Promise.all(servers.map(residentMb));
    return stores.map((_, at) => ({
      measured: new Map([...(starts[at] ?? []), ...(uses[at] ?? [])]),
      idleMb: idleMb[at] ?? 0,
      usedMb: usedMb[at] ?? 0,
    }));
  } finally {
    for (const server of servers) await server.stop();
    await Promise.all([askers.load.end(), askers.previews.end()]);
  }
}

/** Without the first turn. */
async function middleOfTurns(turns: number, all: readonly (readonly MeasuredCase[])[]): Promise<Measured[]> {
  const spent = await measureInTurns(turns, all);
  return spent.map((cases) => new Map(Array.from(cases, ([name, each]) => [name, middleOf(each.slice(1))])));
}

/** Jobs on media stay away: there are rows, but no files. The log has a bench of its own. */
function settingsFor(options: DatabaseOptions): Record<string, unknown> {
  const database =
    options.engine === 'sqlite'
      ? { path: options.path }
      : { engine: options.engine, url: options.url, max_connections: options.maxConnections };
  return {
    database,
    log: { enabled: false },
    jobs: { instance: 'bench' },
    media_instance_running_background_jobs: 'nobody',
  };
}

function startCase({ options, folder }: ServedStore): MeasuredCase[] {
  const measure = async (): Promise<Spent> => {
    const server = await startVidimus({ folder, settings: settingsFor(options) });
    const cpuMs = (await exactCpuMsOf(server.pid)) ?? 0;
    await server.stop();
    return { cpuMs, databaseCpuMs: 0, ms: server.readyMs };
  };
  return [{ name: 'start until ready', runs: 1, measure }];
}

async function residentMb({ pid }: PreviewServer): Promise<number> {
  return ((await residentBytesOf(pid)) ?? 0) / MB;
}

async function casesOf(
  server: PreviewServer,
  { filled, postmaster }: ServedStore,
  askers: Askers,
): Promise<MeasuredCase[]> {
  const meter = createMeter(server.pid, postmaster);
  return [
    ...(await keyCases(server, filled, { askers, meter })),
    ...(await previewCases(server, filled, { askers, meter })),
  ];
}

async function keyCases(
  server: PreviewServer,
  filled: Filled,
  { askers, meter }: { askers: Askers; meter: Meter },
): Promise<MeasuredCase[]> {
  const names = freshNames(filled.servers);
  const take = (count: number): string[] => Array.from({ length: count }, () => nextOf(names));
  const question = (servers: readonly string[]): BenchRequest => batch(servers, KEY_ID, Date.now());
  const ask = async (request: BenchRequest, records: number): Promise<void> => {
    const found = countRecords(await send(server.port, request));
    if (found !== records) throw new Error(`${found} records instead of ${records}`);
  };
  const cached = take(BATCH);
  const repeated = question(cached);
  await ask(repeated, BATCH);
  const minimum = /"minimum_valid_until_ts":(\d+)/.exec(repeated.body ?? '')?.[1] ?? '';
  const repeat = (request: BenchRequest) => () => measureSlice(server, request, { askers, meter });
  const singles = async (): Promise<void> => {
    for (const name of take(SINGLE)) await ask(allKeys(name), 1);
  };
  const batches = async (): Promise<void> => {
    for (let at = 0; at < BATCHES; at += 1) await ask(question(take(BATCH)), BATCH);
  };
  return [
    {
      name: 'key query from the database',
      runs: 1,
      measure: async () => eachOf(await meter.measure(singles), SINGLE),
    },
    {
      name: 'question about 100 servers from the database',
      runs: 1,
      measure: async () => eachOf(await meter.measure(batches), BATCHES),
    },
    { name: 'key query from memory', runs: 1, measure: repeat(allKeys(cached[0] ?? '')) },
    {
      name: 'question about 100 servers from memory',
      runs: 1,
      measure: repeat({ ...repeated, varying: minimum }),
    },
  ];
}

async function previewCases(
  server: PreviewServer,
  { addresses }: Filled,
  { askers, meter }: { askers: Askers; meter: Meter },
): Promise<MeasuredCase[]> {
  const paths = addresses.map((address) => `/_svc/media/v3/preview_url?url=${encodeURIComponent(address)}`);
  const { port, authorization } = server;
  // All over the table, and no two of a turn beside each other.
  const shuffled = paths
    .map((path, at) => ({ path, order: (at * 7919) % paths.length }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ path }) => path);
  const ask = async (asked: string[]): Promise<void> => {
    const job = { port, authorization, paths: asked, atOnce: 1, durationMs: null };
    const { failed } = await askers.previews.run(job);
    if (failed > 0) throw new Error(`${failed} previews failed`);
  };
  const repeated: BenchRequest = { method: 'GET', path: shuffled[0] ?? '', body: null, authorization };
  await ask([repeated.path]);
  const stored = async (turn: number): Promise<Spent> => {
    const asked = shuffled.slice(1 + turn * STORED, 1 + (turn + 1) * STORED);
    return eachOf(await meter.measure(() => ask(asked)), asked.length);
  };
  return [
    { name: 'preview from the database', runs: 1, measure: stored },
    {
      name: 'preview from memory',
      runs: 1,
      measure: () => measureSlice(server, repeated, { askers, meter }),
    },
  ];
}

/** For one request of many under load. */
async function measureSlice(
  { port }: PreviewServer,
  request: BenchRequest,
  { askers, meter }: { askers: Askers; meter: Meter },
): Promise<Spent> {
  const { varying = null } = request;
  const job = { port, request: bytesOf(request), connections: CONNECTIONS, durationMs: SLICE_MS, varying };
  let requests = 1;
  const spent = await meter.measure(async () => {
    ({ requests } = await askers.load.run(job));
  });
  return eachOf(spent, requests);
}

/** Names of servers that nobody has asked for yet, all over the table. */
function* freshNames(servers: number): Generator<string, undefined> {
  // Prime, and so a step that meets every number.
  for (let at = 0, number = 0; at < servers; at += 1) {
    number = (number + 1_299_709) % servers;
    if (isFresh(number + 1)) yield serverName(number + 1);
  }
}

function nextOf(names: Generator<string, undefined>): string {
  const { value } = names.next();
  if (value === undefined) throw new Error('there are too few servers');
  return value;
}
