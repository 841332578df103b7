import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { startPostgresServer } from '../../tests/support/store/postgres-server.js';
import { startWorker } from '../support/child.js';
import type { Contestants } from '../support/compare.js';
import { startKeyWorld, type KeyWorld } from '../support/key-world.js';
import type { ReportLine } from '../support/report.js';
import { startVidimus } from '../support/vidimus-process.js';
import { measureCachedQueries } from './cached-queries.js';
import { measureBlackHole, measureFirstFetch } from './first-fetch.js';
import { measureSingleFetches } from './single-fetches.js';

const DEADLINE_MS = 2000;

/** The key half: memory, first fetches, cached answers, a server that never answers. */
export async function benchKeys(folder: string): Promise<ReportLine[]> {
  const world = await startKeyWorld((pem) => {
    const path = join(folder, 'ca.pem');
    writeFileSync(path, pem);
    return path;
  });
  try {
    return [...(await withDefaults(folder, world)), await withBlackHole(folder, world)];
  } finally {
    await world.end();
  }
}

async function withDefaults(folder: string, world: KeyWorld): Promise<ReportLine[]> {
  const vidimus = await startVidimus({ folder, settings: world.settings });
  const contestants: Contestants = { vidimus, bare: startWorker('bare-server'), load: startWorker('load') };
  try {
    const discovered = await measureFirstFetch(vidimus, world, 'discovered');
    const explicit = await measureFirstFetch(vidimus, world, 'explicit');
    const singly = [];
    for (const kind of ['discovered', 'delegated', 'explicit'] as const)
      singly.push(await measureSingleFetches(vidimus, world, { kind }));
    const { serverNames } = discovered;
    const cached = await measureCachedQueries(contestants, serverNames, world.keyId);
    singly.push(await onPostgresql(folder, world));
    return [...cached, discovered.line, explicit.line, ...singly];
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

async function withBlackHole(folder: string, world: KeyWorld): Promise<ReportLine> {
  const federation = { ...(world.settings['federation'] as object), key_query_timeout: `${DEADLINE_MS}ms` };
  const vidimus = await startVidimus({ folder, settings: { ...world.settings, federation } });
  try {
    return await measureBlackHole(vidimus, world, DEADLINE_MS);
  } finally {
    await vidimus.stop();
  }
}
