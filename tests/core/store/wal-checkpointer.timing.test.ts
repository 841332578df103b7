import { copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { loadSqliteDriver } from '../../../src/core/store/sqlite/driver.js';
import { WalCheckpointer } from '../../../src/core/store/sqlite/wal-checkpointer.js';
import { createLogger } from '../../../src/core/base/logger.js';
import {
  createPreviewWorker,
  type PreviewWorker,
} from '../../../src/core/preview/pipeline/preview-worker.js';
import { createTestDatabase, testEngines } from '../../support/store/databases.js';

const logger = createLogger({ level: 'silent' });
const page = { body: Buffer.from('<title>t</title>'), contentType: 'text/html', url: 'https://site.test/' };

let database: Database;
let worker: PreviewWorker;
let cleanup: () => Promise<void>;

async function setUp(engine: 'sqlite' | 'postgresql'): Promise<void> {
  const place = await createTestDatabase(engine);
  database = await openDatabase(place.options, logger);
  worker = createPreviewWorker({ logger, database });
  cleanup = place.cleanup;
}

afterEach(async () => {
  await worker.close();
  await database.close();
  await cleanup();
});

const write = (serverName: string) =>
  database.client.remoteServer.create({
    data: { serverName, firstAskedTs: 1n, throttleTokens: 1, throttleTokensTs: 1n },
  });

const startThread = () => worker.extractPage(page, { mode: 'standard' });

describe('the write-ahead log of SQLite', () => {
  beforeEach(() => setUp('sqlite'));

  /** What the file says without its log. */
  async function namesInFile(): Promise<unknown[]> {
    const path = database.writeAheadLog?.path ?? '';
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    const driver = loadSqliteDriver();
    const file = new driver(copy, { timeout: 0 });
    const names = file.prepare('SELECT server_name AS name FROM remote_server ORDER BY 1').all();
    file.close();
    return names.map((row: object) => Object.values(row)[0]);
  }

  it('is moved into the file by the worker thread, again and again, with few pages in it', async () => {
    await write('first.example');
    expect(await namesInFile()).toEqual([]);

    await startThread();
    await expect.poll(namesInFile, { timeout: 5000 }).toEqual(['first.example']);

    await write('second.example');
    await expect.poll(namesInFile, { timeout: 5000 }).toEqual(['first.example', 'second.example']);
  });

  it('is left alone by who writes until 8,000 pages are in it, once the thread runs', async () => {
    const limit = async (): Promise<number> => {
      const [row = {}] = await database.client.$queryRawUnsafe<object[]>('PRAGMA wal_autocheckpoint');
      return Number(Object.values(row)[0]);
    };
    expect(await limit()).toBe(1000);

    await startThread();

    expect(await limit()).toBe(8000);
  });

  it('does not keep the thread, or the file, after the end', async () => {
    await startThread();
    await write('first.example');
    await worker.close();
    await database.close();

    expect(await namesInFile()).toEqual(['first.example']);
  });
});

describe('the WAL checkpointer', () => {
  beforeEach(() => setUp('sqlite'));

  it('touches no file that was put in the place of the one that is written to', async () => {
    const file = (await database.writeAheadLog?.leaveToCheckpointer()) ?? { path: '', fileId: '' };
    const driver = loadSqliteDriver();
    await write('first.example');
    const before = `${file.path}.before`;
    renameSync(file.path, before);
    copyFileSync(before, file.path);
    const bytes = readFileSync(file.path);

    const errors: string[] = [];
    const checkpointer = new WalCheckpointer(driver, file, (error) => errors.push(error));
    expect([checkpointer.checkpoint(), checkpointer.checkpoint()]).toEqual([false, false]);
    expect(errors).toEqual([`${file.path} is another file than before`]);
    expect(readFileSync(file.path).equals(bytes)).toBe(true);

    renameSync(before, file.path);
    expect(checkpointer.checkpoint()).toBe(true);
    expect(readFileSync(file.path).equals(bytes)).toBe(false);
    checkpointer.close();
  });

  it('waits for nobody: not for a file that is locked, nor for one that is gone', async () => {
    const file = (await database.writeAheadLog?.leaveToCheckpointer()) ?? { path: '', fileId: '' };
    const driver = loadSqliteDriver();
    const errors: string[] = [];
    const gone = new WalCheckpointer(driver, { ...file, path: `${file.path}.gone` }, (error) =>
      errors.push(error),
    );
    expect(gone.checkpoint()).toBe(false);
    expect(errors[0]).toMatch('ENOENT');
    expect(existsSync(`${file.path}.gone`)).toBe(false);

    const checkpointer = new WalCheckpointer(driver, file, expect.unreachable);
    const startMs = performance.now();
    await database.client.$transaction(async (tx) => {
      await tx.remoteServer.deleteMany();
      expect(checkpointer.checkpoint()).toBe(true);
    });
    expect(performance.now() - startMs).toBeLessThan(1000);
    checkpointer.close();
  });
});

describe.each(testEngines().filter((engine) => engine === 'postgresql'))(
  'a worker thread beside %s',
  (engine) => {
    it('has no log to move, and works', async () => {
      await setUp(engine);
      expect(database.writeAheadLog).toBeNull();
      expect((await startThread())?.openGraph.get('og:title')).toBe('t');
    });
  },
);
