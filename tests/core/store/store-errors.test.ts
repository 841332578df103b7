import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { badJson, storeFull, storeUnavailable } from '../../../src/core/base/errors/api-error.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { openDatabase, type DatabaseOptions } from '../../../src/core/store/db.js';
import { migrationStatus } from '../../../src/core/store/migrate.js';
import {
  explainStoreError,
  isConflict,
  isStoreFull,
  isStoreUnavailable,
} from '../../../src/core/store/store-errors.js';
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

const withCode = (code: string, message = 'm') => Object.assign(new Error(message), { code });
const ofPrisma = (code: string, cause: object) =>
  Object.assign(withCode(code), { meta: { driverAdapterError: { cause } } });

describe('an error of the store', () => {
  it.each([
    [withCode('ECONNREFUSED'), /Nothing answers/],
    [new AggregateError([withCode('ECONNREFUSED')], 'm'), /Nothing answers/],
    [withCode('57P01', 'terminating connection'), /closed the connection/],
    [withCode('53300', 'too many'), /no free connections/],
    [withCode('28P01', 'password authentication failed'), /refused the login/],
    [new Error('Connection terminated unexpectedly'), /closed the connection/],
    [new Error('timeout exceeded when trying to connect'), /in time/],
    [new Error('timeout expired'), /in time/],
    [new Error('There was an error establishing an SSL connection'), /sslmode/],
    [withCode('P1001'), /Nothing answers/],
    [withCode('P1017'), /closed the connection/],
    [withCode('P2028', 'Unable to start a transaction in the given time.'), /in time/],
    [new Error('m', { cause: withCode('ETIMEDOUT') }), /in time/],
    [ofPrisma('P1008', { kind: 'SocketTimeout', originalCode: 'sqlite:5' }), /locked by another process/],
    [ofPrisma('P2010', { kind: 'sqlite', originalCode: 'sqlite:8' }), /or written/],
    [storeUnavailable(), /cannot be reached/],
  ])('means that it is away: %s', (error, sentence) => {
    expect([isStoreUnavailable(error), isStoreFull(error), isConflict(error)]).toEqual([true, false, false]);
    expect(explainStoreError(error).error).toMatch(sentence);
    expect(explainStoreError(error).causes).toHaveLength(2);
  });

  it.each([
    withCode('P2002'),
    withCode('42601'),
    withCode('ENOENT'),
    withCode('ENOSPC'),
    badJson('m'),
    storeFull(withCode('53100')),
    new TypeError('m'),
    undefined,
    'ECONNREFUSED',
  ])('is not: %s', (error) => {
    expect([isStoreUnavailable(error), isStoreFull(error)]).toEqual([false, false]);
  });

  it.each([null, 'x', new Error('anything: postgresql://u:hunter2@h/d'), { cause: { cause: 1 } }])(
    'has a sentence for %s that quotes nothing',
    (error) => {
      expect(explainStoreError(error).error).toBe('The database cannot be reached.');
    },
  );

  it('is read to its end when it contains itself', () => {
    const error: Error & { cause?: unknown } = new Error('around');
    error.cause = error;
    expect(isStoreUnavailable(error)).toBe(false);
  });

  it.each([
    ['nobody listens', 'postgresql://u:hunter2@127.0.0.1:1/d', /Nothing answers/],
    ['a name is not there', 'postgresql://u:hunter2@nowhere.invalid/d', /Nothing answers/],
  ])('says when %s, at the start and later, without the password', async (_what, url, error) => {
    const options = { engine: 'postgresql', url, maxConnections: 1 } as const;
    const atStart = explainStoreError(await migrationStatus(options).catch((reason: unknown) => reason));
    const later = explainStoreError(await errorOf(options));

    expect(atStart.error).toMatch(error);
    expect(later.error).toMatch(error);
    expect(JSON.stringify([atStart, later])).not.toContain('hunter2');
  });

  it.runIf(testEngines().includes('postgresql'))('says when the server knows no such database', async () => {
    const { options, cleanup } = await createEmptyDatabase('postgresql');
    await cleanup();

    expect(explainStoreError(await errorOf(options)).error).toMatch(/refused the login/);
  });

  it('says when the file cannot be opened', async () => {
    const path = await mkdtemp(join(tmpdir(), 'vidimus-fault-'));

    const error = await errorOf({ engine: 'sqlite', path, synchronous: 'normal' });

    await rm(path, { recursive: true });
    expect(explainStoreError(error).error).toMatch(/cannot be opened/);
  });
});
