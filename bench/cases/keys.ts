import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startPostgresServer } from '../../tests/support/store/postgres-server.js';
import { startWorker } from '../support/child.js';
import type { Contestants } from '../support/compare.js';
import { startKeyWorld, type KeyWorld } from '../support/key-world.js';
import type { ReportLine } from '../support/report.js';
import { batch } from '../support/requests.js';
import { startVidimus } from '../support/vidimus-process.js';
import { measureCachedQueries } from './cached-queries.js';
import { measureColdStore } from './cold-store.js';
import { measureBlackHole, measureFirstFetch } from './first-fetch.js';
import { measureIdleMemory } from './idle-memory.js';
import { measureSingleFetches } from './single-fetches.js';

const DEADLINE_MS = 2000;

/** The key half: memory, first fetches, cached answers, answers from the store, a server that never answers. */
export async function benchKeys(folder: string): Promise<ReportLine[]> {
  const world = await startKeyWorld((pem) => {
    const path = join(folder, 'ca.pem');
    writeFileSync(path, pem);
    return path;
  });
  try {
    const { lines, serverNames } = await withDefaults(folder, world);
    return [...lines, ...(await withSmallCache(folder, world, serverNames))];
  } finally {
    await world.end();
  }
}

interface DefaultRun {
  lines: ReportLine[];
  /** Servers whose keys are stored now. */
  serverNames: string[];
}

async function withDefaults(folder: string, world: KeyWorld): Promise<DefaultRun> {
  const vidimus = await startVidimus({ folder, settings: world.settings });
  const contestants: Contestants = { vidimus, bare: startWorker('bare-server'), load: startWorker('load') };
  try {
    const memory = await measureIdleMemory(vidimus.pid);
    const discovered = await measureFirstFetch(vidimus, world, 'discovered');
    const explicit = await measureFirstFetch(vidimus, world, 'explicit');
    const singly = [];
    for (const kind of ['discovered', 'delegated', 'explicit'] as const)
      singly.push(await measureSingleFetches(vidimus, world, { kind }));
    const { serverNames } = discovered;
    const cached = await measureCachedQueries(contestants, serverNames, world.keyId);
    singly.push(await onPostgresql(folder, world));
    return { lines: [...cached, discovered.line, explicit.line, ...singly, memory], serverNames };
  } finally {
    await Promise.all([contestants.bare.end(), contestants.load.end(), vidimus.stop()]);
  }
}

async function onPostgresql(root: string, world: KeyWorld): Promise<ReportLine> {
  const engine = 'postgresql';
  const folder = join(root, engine);
  mkdirSync(folder);
  const postgres = await startPostgresServer();
  try {
    const settings = { ...world.settings, database: { engine, url: postgres.url() } };
    const vidimus = await startVidimus({ folder, settings });
    try {
      return await measureSingleFetches(vidimus, world, { kind: 'explicit', engine });
    } finally {
      await vidimus.stop();
    }
  } finally {
    await postgres.remove();
  }
}

async function withSmallCache(
  folder: string,
  world: KeyWorld,
  serverNames: readonly string[],
): Promise<ReportLine[]> {
  const federation = { ...(world.settings['federation'] as object), key_query_timeout: `${DEADLINE_MS}ms` };
  const settings = { ...world.settings, federation, keys: { cache_size: '1K' } };
  const vidimus = await startVidimus({ folder, settings });
  try {
    return [
      await measureColdStore(vidimus, batch(serverNames, world.keyId, Date.now())),
      await measureBlackHole(vidimus, world, DEADLINE_MS),
    ];
  } finally {
    await vidimus.stop();
  }
}
