import type { DatabaseOptions } from '../../src/core/store/db.js';
import type { LoadJob, LoadOutcome } from '../processes/load.js';
import type { PreviewLoadJob, PreviewLoadOutcome } from '../processes/preview-load.js';
import { startWorker, type Worker } from '../support/child.js';
import { median } from '../support/compare.js';
import { startPreviewServer, type PreviewServer } from '../support/preview-world.js';
import { startVidimus } from '../support/vidimus-process.js';
import { exactCpuMsOf, residentBytesOf } from '../support/process-usage.js';
import { allKeys, batch, bytesOf, countRecords, send, type BenchRequest } from '../support/requests.js';
import { KEY_ID, isFresh, serverName, type Filled } from './fill.js';
import { createMeter, middleOf, type Meter, type Spent } from './spent.js';
import type { Measured } from './store-cases.js';

const STARTS = 3;
const SETTLE_MS = 6000;
const WARM_UP = 2;
const SLICES = 5;
const SLICE_MS = 500;
const CONNECTIONS = 8;
const CHUNKS = 5;
const SINGLE = 60;
const BATCHES = 2;
const BATCH = 100;
const STORED = 300;
const MB = 1024 * 1024;

/** What the bench asks a running server with. */
interface Askers {
  load: Worker<LoadJob, LoadOutcome>;
  previews: Worker<PreviewLoadJob, PreviewLoadOutcome>;
}

/** Starts, memory, and what users wait for, of the real server on a filled database. */
export async function measureServer(
  options: DatabaseOptions,
  filled: Filled,
  { folder, postmaster }: { folder: string; postmaster: number | null },
): Promise<{ measured: Measured; idleMb: number; usedMb: number }> {
  const askers: Askers = { load: startWorker('load'), previews: startWorker('preview-load') };
  const settings = settingsFor(options);
  const measured: Measured = new Map();
  try {
    measured.set('start until ready', await measureStarts(folder, settings));
    const server = await startPreviewServer({ folder, settings });
    try {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const idleMb = await residentMb(server);
      const meter = createMeter(server.pid, postmaster);
      for (const [name, spent] of await measureUses(server, filled, { askers, meter }))
        measured.set(name, spent);
      return { measured, idleMb, usedMb: await residentMb(server) };
    } finally {
      await server.stop();
    }
  } finally {
    await Promise.all([askers.load.end(), askers.previews.end()]);
  }
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

async function measureStarts(folder: string, settings: Record<string, unknown>): Promise<Spent> {
  const spent: Spent[] = [];
  for (let turn = 0; turn <= STARTS; turn += 1) {
    const server = await startVidimus({ folder, settings });
    const cpuMs = (await exactCpuMsOf(server.pid)) ?? 0;
    // The first one makes keys.
    if (turn > 0) spent.push({ cpuMs, databaseCpuMs: 0, ms: server.readyMs });
    await server.stop();
  }
  return middleOf(spent);
}

async function residentMb({ pid }: PreviewServer): Promise<number> {
  return ((await residentBytesOf(pid)) ?? 0) / MB;
}

async function measureUses(
  server: PreviewServer,
  filled: Filled,
  { askers, meter }: { askers: Askers; meter: Meter },
): Promise<Measured> {
  const names = freshNames(filled.servers);
  const take = (count: number): string[] => Array.from({ length: count }, () => nextOf(names));
  const warm = take(BATCH);
  const question = (servers: readonly string[]): BenchRequest => batch(servers, KEY_ID, Date.now());
  const ask = async (request: BenchRequest, records: number): Promise<void> => {
    const found = countRecords(await send(server.port, request));
    if (found !== records) throw new Error(`${found} records instead of ${records}`);
  };
  const repeat = (request: BenchRequest) => measureSlices(server, request, { askers, meter });
  // Code that nothing has compiled yet would be measured with the first.
  await ask(question(warm), BATCH);
  for (let slice = 0; slice < WARM_UP; slice += 1) await repeat(allKeys(warm[0] ?? ''));
  const measured: Measured = new Map();
  for (const name of take(SINGLE)) await ask(allKeys(name), 1);
  const singles = await inChunks(meter, async () => {
    for (const name of take(SINGLE)) await ask(allKeys(name), 1);
  });
  measured.set('key query from the database', middleOf(singles, SINGLE));
  const batches = await inChunks(meter, async () => {
    for (let at = 0; at < BATCHES; at += 1) await ask(question(take(BATCH)), BATCH);
  });
  measured.set('question about 100 servers from the database', middleOf(batches, BATCHES));
  measured.set('key query from memory', await repeat(allKeys(warm[0] ?? '')));
  const other = question(warm);
  const minimum = /"minimum_valid_until_ts":(\d+)/.exec(other.body ?? '')?.[1] ?? '';
  measured.set('question about 100 servers from memory', await repeat({ ...other, varying: minimum }));
  for (const [name, spent] of await measurePreviews(server, filled, { askers, meter }))
    measured.set(name, spent);
  return measured;
}

async function measurePreviews(
  server: PreviewServer,
  { addresses }: Filled,
  { askers, meter }: { askers: Askers; meter: Meter },
): Promise<Measured> {
  const paths = addresses.map((address) => `/_svc/media/v3/preview_url?url=${encodeURIComponent(address)}`);
  const { port, authorization } = server;
  // All over the table, and no two of a chunk beside each other.
  const shuffled = paths
    .map((path, at) => ({ path, order: (at * 7919) % paths.length }))
    .toSorted((a, b) => a.order - b.order);
  const chunks = Array.from({ length: CHUNKS + 1 }, (_, at) =>
    shuffled.slice(at * STORED, (at + 1) * STORED).map(({ path }) => path),
  );
  const ask = async (chunk: string[]): Promise<void> => {
    const { failed } = await askers.previews.run({
      port,
      authorization,
      paths: chunk,
      atOnce: 1,
      durationMs: null,
    });
    if (failed > 0) throw new Error(`${failed} previews failed`);
  };
  await ask(chunks[0] ?? []);
  const stored: Spent[] = [];
  for (const chunk of chunks.slice(1)) stored.push(await meter.measure(() => ask(chunk)));
  const path = chunks[0]?.[0] ?? '';
  const repeated = await measureSlices(
    server,
    { method: 'GET', path, body: null, authorization },
    { askers, meter },
  );
  return new Map([
    ['preview from the database', middleOf(stored, STORED)],
    ['preview from memory', repeated],
  ]);
}

/** For one request of many under load. */
async function measureSlices(
  { port }: PreviewServer,
  request: BenchRequest,
  { askers, meter }: { askers: Askers; meter: Meter },
): Promise<Spent> {
  const { varying = null } = request;
  const job = { port, request: bytesOf(request), connections: CONNECTIONS, durationMs: SLICE_MS, varying };
  await askers.load.run(job);
  const each: Spent[] = [];
  for (let turn = 0; turn < SLICES; turn += 1) {
    let requests = 1;
    const spent = await meter.measure(async () => {
      ({ requests } = await askers.load.run(job));
    });
    each.push({
      cpuMs: spent.cpuMs / requests,
      databaseCpuMs: spent.databaseCpuMs / requests,
      ms: spent.ms / requests,
    });
  }
  return {
    cpuMs: median(each.map(({ cpuMs }) => cpuMs)),
    databaseCpuMs: median(each.map(({ databaseCpuMs }) => databaseCpuMs)),
    ms: median(each.map(({ ms }) => ms)),
  };
}

async function inChunks(meter: Meter, work: () => Promise<void>): Promise<Spent[]> {
  const spent: Spent[] = [];
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) spent.push(await meter.measure(work));
  return spent;
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
