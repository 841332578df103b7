import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { loadSqliteDriver } from '../../../src/core/db/sqlite/driver.js';
import type { DriverDatabase } from '../../../src/core/db/sqlite/driver.js';
import { LogKeeper } from '../../../src/core/db/sqlite/log-keeper.js';
import { createLogger } from '../../../src/core/logger.js';
import { createWorkerServices } from '../../../src/worker-services.js';

const WORKS = 16;

let folder: string;
let path: string;
let server: DriverDatabase;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vidimus-log-'));
  path = join(folder, 'vidimus.db');
  const driver = await loadSqliteDriver();
  server = new driver(path, { timeout: 0 });
  server.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER); PRAGMA wal_checkpoint(TRUNCATE)');
});

afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Rows in the database file alone, without its log. */
async function rowsInFile(): Promise<number> {
  const copy = join(folder, 'copy.db');
  rmSync(copy, { force: true });
  copyFileSync(path, copy);
  const driver = await loadSqliteDriver();
  const database = new driver(copy, { timeout: 0 });
  try {
    return database.prepare('SELECT n FROM t').all().length;
  } finally {
    database.close();
  }
}

describe('the write-ahead log', () => {
  it('is moved into the file once enough has been written', async () => {
    const keeper = new LogKeeper(path);
    server.exec('INSERT INTO t VALUES (1)');
    for (let i = 1; i < WORKS; i += 1) await keeper.worked();
    expect(await rowsInFile()).toBe(0);

    await keeper.worked();
    expect(await rowsInFile()).toBe(1);
  });

  it('waits for nobody: a transaction under way goes on, and what it writes is moved the next time', async () => {
    const keeper = new LogKeeper(path);
    server.exec('INSERT INTO t VALUES (1)');
    server.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (2)');
    for (let i = 0; i < WORKS; i += 1) await keeper.worked();
    server.exec('COMMIT');
    expect(await rowsInFile()).toBe(1);

    for (let i = 0; i < WORKS; i += 1) await keeper.worked();
    expect(await rowsInFile()).toBe(2);
  });

  it('is moved by the second thread while that stores media', async () => {
    const worker = createWorkerServices({
      logger: createLogger({ level: 'silent' }),
      databaseOptions: { engine: 'sqlite', path, synchronous: 'normal' },
    });
    server.exec('INSERT INTO t VALUES (1)');
    try {
      for (let i = 0; i < WORKS; i += 1) {
        const here = join(folder, `media-${i}`);
        mkdirSync(here);
        const places = {
          temporary: join(here, 'new'),
          file: join(here, 'file'),
          thumbnails: join(here, 'thumbnails'),
        };
        await worker.hands.keep({ bytes: Buffer.from('a'), places, picture: null }, { mayTake: false });
      }
      await vi.waitFor(async () => expect(await rowsInFile()).toBe(1), { timeout: 5000 });
    } finally {
      await worker.close();
    }
  });
});
