import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { createLogger } from '../../src/core/base/logger.js';
import { openDatabase } from '../../src/core/store/db.js';
import { openDriver } from '../../src/core/store/sqlite/driver.js';
import { seededRandom } from '../support/mutations.js';
import { createTestDatabase } from '../support/store/databases.js';

/** Files that are written and killed at the same time, and how often each is. */
const FILES = 5;
const KILLS = 10;
/** Rows that a process has acknowledged before it is killed, at most. */
const MAX_ROWS = 60;
const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let writer: string;

/** As one file it starts in a quarter of the time. */
beforeAll(async () => {
  folder = await mkdtemp(join(CHECKOUT, 'node_modules/.kills-'));
  writer = join(folder, 'writer.mjs');
  const input = fileURLToPath(new URL('killed-writer.ts', import.meta.url));
  const external = [/^@photostructure\//, /^pg$/];
  const bundle = await rolldown({ input, platform: 'node', external, logLevel: 'silent' });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'writer.mjs' });
});
afterAll(() => rm(folder, { recursive: true }));

/** Starts a process that writes, kills it after so many rows, and gives what it has acknowledged. */
async function killedAfter(rows: number, [path, name]: [path: string, name: string]): Promise<string[]> {
  const child = spawn(process.execPath, [writer, path, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString();
    if (text.split('\n').length > rows) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [unknown, string];
  expect(signal).toBe('SIGKILL');
  return text.split('\n').slice(0, -1);
}

it('50 kills under concurrent writers and a transaction that is rolled back lose no acknowledged row', async () => {
  const random = seededRandom(50);
  const lanes = Array.from({ length: FILES }, async (_, file) => {
    const { options, cleanup } = await createTestDatabase('sqlite');
    if (options.engine !== 'sqlite') throw new Error('wrong engine');
    const acknowledged: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1)
      acknowledged.push(...(await killedAfter(1 + random(MAX_ROWS), [options.path, `${file}-${kill}`])));
    const database = await openDatabase(options, createLogger({ level: 'silent' }));
    const rows = await database.client.remoteServer.findMany({ select: { serverName: true } });
    const stored = new Set(rows.map(({ serverName }) => serverName));
    await database.close();
    const connection = openDriver(options.path, 1000);
    const integrity = connection.prepare('PRAGMA integrity_check').all();
    connection.close();
    await cleanup();
    return {
      integrity,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((name) => !stored.has(name)),
      rolledBack: [...stored].filter((name) => name.startsWith('rolled-back')),
    };
  });
  for (const { acknowledged, ...found } of await Promise.all(lanes)) {
    expect(acknowledged).toBeGreaterThan(KILLS);
    expect(found).toEqual({ integrity: [{ integrity_check: 'ok' }], lost: [], rolledBack: [] });
  }
});
