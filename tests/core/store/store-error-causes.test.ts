import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openDatabase, type DatabaseOptions } from '../../../src/core/store/db.js';
import { explainStoreError, nameOfStore } from '../../../src/core/store/store-error-causes.js';
import { migrationStatus } from '../../../src/core/store/migrate.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { createEmptyDatabase, testEngines } from '../../support/store/databases.js';

/** What a first look at such a database fails with. */
async function errorOf(options: DatabaseOptions): Promise<unknown> {
  const database = await openDatabase(options, createLogger({ level: 'silent' }));
  try {
    await database.ping();
    throw new Error('expected an error');
  } catch (error) {
    return error;
  } finally {
    await database.close();
  }
}

describe('explainStoreFault', () => {
  it.each([
    ['nobody listens', 'postgresql://u:hunter2@127.0.0.1:1/d', /Nothing listens/],
    ['a name is not there', 'postgresql://u:hunter2@nowhere.invalid/d', /not known to DNS/],
  ])('says when %s, at the start and later', async (_what, url, error) => {
    const options = { engine: 'postgresql', url, maxConnections: 1 } as const;
    const atStart = explainStoreError(await migrationStatus(options).catch((error: unknown) => error));
    const later = explainStoreError(await errorOf(options));

    expect(atStart.error).toMatch(error);
    expect(later.error).toMatch(/Nothing answers/);
    for (const explained of [atStart, later]) {
      expect(explained.causes).toHaveLength(2);
      expect(JSON.stringify(explained)).not.toContain('hunter2');
    }
  });

  it.runIf(testEngines().includes('postgresql'))('says when the server knows no such database', async () => {
    const { options, cleanup } = await createEmptyDatabase('postgresql');
    await cleanup();

    expect(explainStoreError(await errorOf(options)).error).toMatch(/no database of that name/);
  });

  it('says when the file cannot be opened', async () => {
    const path = await mkdtemp(join(tmpdir(), 'vidimus-fault-'));

    const error = await errorOf({ engine: 'sqlite', path, synchronous: 'normal' });

    await rm(path, { recursive: true });
    expect(explainStoreError(error).error).toMatch(/cannot be opened/);
  });

  it.each([null, undefined, 'x', new Error('anything: postgresql://u:hunter2@h/d'), { cause: { cause: 1 } }])(
    'has a sentence for %s that quotes nothing',
    (error) => {
      expect(explainStoreError(error).error).toBe('The database cannot be reached.');
    },
  );

  it.each([
    ['SQLITE_BUSY', 'database is locked', /locked by another process/],
    ['SQLITE_FULL', 'database or disk is full', /full/],
    ['SQLITE_READONLY', 'attempt to write a readonly database', /read-only/],
    ['53300', 'too many', /no more connections/],
    ['28P01', 'password authentication failed', /refused the log-in/],
    ['57P01', 'terminating connection', /closed the connection/],
  ])('knows %s, the words alone for SQLite', (code, message, error) => {
    const withCode = Object.assign(new Error(message), { code });
    const wordsAlone = { kind: 'SocketTimeout', originalMessage: message };

    expect(explainStoreError({ cause: withCode }).error).toMatch(error);
    const ofWords = explainStoreError({ meta: { driverAdapterError: { cause: wordsAlone } } }).error;
    expect(ofWords).toMatch(code.startsWith('SQLITE') ? error : /in time/);
  });

  it('ends for errors that contain themselves', () => {
    const error: Error & { cause?: unknown } = new Error('around');
    error.cause = error;

    expect(explainStoreError(error).causes).toHaveLength(2);
  });
});

describe('nameOfStore', () => {
  it.each<[DatabaseOptions, string]>([
    [{ engine: 'sqlite', path: '/data/x.db', synchronous: 'normal' }, 'SQLite'],
    [{ engine: 'postgresql', url: 'postgresql://u:p@h:5433/d?password=p', maxConnections: 1 }, 'PostgreSQL'],
  ])('says of %j the engine alone', (options, name) => {
    expect(nameOfStore(options)).toBe(name);
  });
});
