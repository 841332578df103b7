import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { startPostgresServer } from '../../tests/support/store/postgres-server.js';
import type { LoadJob, LoadOutcome } from '../processes/load.js';
import { VERSION } from '../../src/config/version.js';
import { startWorker, type Worker } from '../support/child.js';
import { startKeyWorld } from '../support/key-world.js';
import {
  startPreviewServer,
  startPreviewWorld,
  type PreviewServer,
  type PreviewWorld,
} from '../support/preview-world.js';
import { cpuMsWithChildren } from '../support/process-usage.js';
import type { ReportLine } from '../support/report.js';
import { allKeys, batch, bytesOf, send } from '../support/requests.js';
import { compareThroughput, type Side, type Throughput } from '../support/throughput.js';

const SIDES = [
  { name: 'one process', workers: 1 },
  { name: 'two workers', workers: 2 },
];
const CONNECTIONS = 24;
const SLICE_MS = 1500;
const AT_ONCE = 16;
const COLD = 48;
const KNOWN = 4000;

/** Two workers on one port against one process; what asks has the last core. */
export async function benchWorkers(folder: string): Promise<ReportLine[]> {
  const postgres = await startPostgresServer();
  try {
    const shared = { signing_key_path: join(folder, 'signing.key'), media_store_path: join(folder, 'media') };
    const database = { engine: 'postgresql', url: postgres.url() };
    return [
      ...(await compareOn('SQLite', { folder, settingsFor: sqliteIn })),
      ...(await compareOn('one PostgreSQL', { folder, settingsFor: () => ({ ...shared, database }) })),
    ];
  } finally {
    await postgres.remove();
  }
}

/** Each side has a file of its own. */
const sqliteIn = (folder: string) => ({
  signing_key_path: join(folder, 'signing.key'),
  media_store_path: join(folder, 'media'),
  database: { engine: 'sqlite', path: join(folder, 'vidimus.db') },
});

interface StoreOfSides {
  folder: string;
  /** Settings of the side that has this folder. */
  settingsFor: (folder: string) => Record<string, unknown>;
}

async function compareOn(store: string, { folder, settingsFor }: StoreOfSides): Promise<ReportLine[]> {
  const keys = await startKeyWorld((pem) => {
    writeFileSync(join(folder, 'ca.pem'), pem);
    return join(folder, 'ca.pem');
  });
  const world = await startPreviewWorld();
  const load = startWorker<LoadJob, LoadOutcome>('load');
  const servers: PreviewServer[] = [];
  try {
    for (const { pid } of [load, world.load]) pinToLastCore(pid);
    for (const [at, { workers }] of SIDES.entries()) {
      const own = mkdtempSync(join(folder, `side-${at}-`));
      const settings = {
        ...keys.settings,
        server: { workers },
        jobs: { instance: `side-${at}` },
        ...settingsFor(own),
      };
      const server = await startPreviewServer({ folder: own, settings });
      servers.push(server);
      await untilAllServe(server, workers);
    }
    const [serverName = ''] = keys.take(1, 'discovered');
    const known = world.take('page', AT_ONCE);
    const repeated = Array.from({ length: KNOWN }, (_, index) => known[index % known.length] ?? '');
    const both = async (what: string, measure: (server: PreviewServer) => Promise<Throughput>) => {
      const [one, two] = servers.map((server, at): Side => {
        return { name: SIDES[at]?.name ?? '', measure: () => measure(server) };
      });
      if (one === undefined || two === undefined) throw new Error('there are not two sides');
      return compareThroughput(`${what}, two workers against one process on ${store}`, one, two);
    };
    for (const { port } of servers) await send(port, batch([serverName], keys.keyId, Date.now()));
    return [
      await both('key queries from memory', (server) => askKeys(server, load, serverName)),
      await both('previews from memory', (server) => askPreviews(server, world, repeated)),
      await both('new previews', (server) => askPreviews(server, world, world.take('page', COLD))),
    ];
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all([load.end(), world.end(), keys.end()]);
  }
}

/** Resolves when so many processes show their metrics; the second is started when the first is ready. */
async function untilAllServe(server: PreviewServer, workers: number): Promise<void> {
  while ((await server.metric(`vidimus_build_info{version="${VERSION}"}`)) < workers) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function pinToLastCore(pid: number): void {
  execFileSync('taskset', ['-a', '-p', '-c', String(availableParallelism() - 1), String(pid)]);
}

async function askKeys(
  { pid, port }: PreviewServer,
  load: Worker<LoadJob, LoadOutcome>,
  serverName: string,
): Promise<Throughput> {
  const beforeMs = await cpuMsWithChildren(pid);
  const request = bytesOf(allKeys(serverName));
  const job = { port, request, connections: CONNECTIONS, durationMs: SLICE_MS, varying: null };
  const { requests, seconds } = await load.run(job);
  return { perSecond: requests / seconds, cpuMs: ((await cpuMsWithChildren(pid)) - beforeMs) / requests };
}

async function askPreviews(
  server: PreviewServer,
  { load }: PreviewWorld,
  paths: string[],
): Promise<Throughput> {
  const { pid, port, authorization } = server;
  const beforeMs = await cpuMsWithChildren(pid);
  const startedMs = performance.now();
  const job = { port, authorization, paths, atOnce: AT_ONCE, durationMs: null };
  const { answered, failed } = await load.run(job);
  // Thumbnails follow the answers.
  await server.settle();
  const seconds = (performance.now() - startedMs) / 1000;
  if (failed > 0) throw new Error(`${failed} of ${answered} previews failed`);
  return { perSecond: answered / seconds, cpuMs: ((await cpuMsWithChildren(pid)) - beforeMs) / answered };
}
