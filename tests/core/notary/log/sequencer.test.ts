import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import { saveRecords } from '../../../../src/core/notary/keys/saving/record-rows.js';
import { LogQueue } from '../../../../src/core/notary/log/log-store.js';
import { inTransaction, type Database } from '../../../../src/core/store/db.js';
import { makeKeyRecord, makeTestKey } from '../../../support/origins/key-record-maker.js';
import { readEntry, rootOfEntries } from '../../../support/clients/log-client.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { fillStore, makeRoom } from '../../../support/store/full-store.js';
import {
  growTo,
  madeEntries,
  openTestLog,
  queueEntries,
  type TestLog,
} from '../../../support/store/test-log.js';

const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };

/** Entries as they are stored, in order. */
async function entriesOf({ client }: Database): Promise<Buffer[]> {
  const rows = await client.logEntry.findMany({ orderBy: { seq: 'asc' } });
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index));
  return rows.map(({ entry }) => Buffer.from(entry));
}

const rootIn = (checkpoint: string) => checkpoint.split('\n')[2];
const sorted = (entries: readonly Buffer[]) => entries.map(String).toSorted();

describe.each(testEngines())('the sequencer, on %s', (engine) => {
  let place: TestDatabase;
  const opened: TestLog[] = [];
  const open = async (
    ...options: Parameters<typeof openTestLog> extends [unknown, ...infer R] ? R : never
  ) => {
    const log = await openTestLog(place, ...options);
    opened.push(log);
    return log;
  };

  beforeEach(async () => {
    place = await createTestDatabase(engine);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((log) => log.close()));
    await place.cleanup();
  });

  /** Stores a record as an instance with or without a log does. */
  const save = (database: Database, fetchedTs: number, options: { isLogged: boolean; server?: string }) => {
    const serverName = options.server ?? 'a.example';
    const published = makeKeyRecord({ serverName, keys: [makeTestKey('k1')], validUntilTs: fetchedTs });
    const fetched = { record: acceptKeyRecord(published, serverName, POLICY), published, fetchedTs };
    const logQueue = options.isLogged ? new LogQueue(new ManualClock(fetchedTs)) : null;
    return inTransaction(database, (open) => saveRecords(open, [fetched], { logQueue, listener: null }));
  };

  it('enters what waits in order, in batches, and signs each size once', async () => {
    const one = await open();
    const entries = madeEntries(0, 2500);
    await queueEntries(one.database, entries);
    const checkpoints = [one.log.checkpoint];
    for (const size of [2048, 2500]) {
      await one.sequencer.run();
      expect(one.log.size).toBe(size);
      checkpoints.push(one.log.checkpoint);
    }
    expect(await entriesOf(one.database)).toEqual(entries);
    const roots = [0, 2048, 2500].map((size) => rootOfEntries(entries.slice(0, size)));
    expect(checkpoints.map(rootIn)).toEqual(roots);
    await one.sequencer.run();
    expect(one.log.checkpoint).toBe(checkpoints.at(-1));
  });

  it('of several instances enters each entry once, and none signs another root of a size', async () => {
    const instances = [await open(), await open(), await open()];
    const roots = new Map<string, Set<string>>();
    const watch = ({ log }: TestLog) => {
      const [, size = '', root = ''] = log.checkpoint.split('\n');
      roots.set(size, (roots.get(size) ?? new Set()).add(root));
    };
    const queued: Buffer[] = [];
    for (let round = 0; round < 20; round += 1) {
      const batches = instances.map((_, index) => madeEntries(1000 * round + 100 * index, 30));
      queued.push(...batches.flat());
      await Promise.all(
        instances.map(async (instance, index) => {
          await queueEntries(instance.database, batches[index] ?? []);
          await instance.sequencer.run();
          watch(instance);
        }),
      );
    }
    await growTo(instances[0]!, queued.length);
    await Promise.all(instances.map(({ log }) => log.refresh()));
    for (const instance of instances) watch(instance);
    const entries = await entriesOf(instances[0]!.database);
    expect(sorted(entries)).toEqual(sorted(queued));
    expect([...roots.values()].filter((found) => found.size !== 1)).toEqual([]);
    expect(roots.get(String(queued.length))).toEqual(new Set([rootOfEntries(entries)]));
  });

  it('enters what was stored before the log began once, in order of first sight, marked', async () => {
    const before = await open();
    for (let at = 0; at < 100; at += 1)
      await save(before.database, 1000 + at, { isLogged: false, server: `s${99 - at}.example` });
    const one = await open();
    await save(one.database, 5000, { isLogged: true, server: 'later.example' });
    await growTo(one, 101);
    const entries = (await entriesOf(one.database)).map(readEntry);
    const existing = entries.filter(({ event }) => event === 'existing_record');
    expect(existing.map(({ server_name: name }) => name)).toEqual(
      Array.from({ length: 100 }, (_, at) => `s${99 - at}.example`),
    );
    expect(existing.map(({ observed_ts: ts }) => ts)).toEqual(
      Array.from({ length: 100 }, (_, at) => 1000 + at),
    );
    expect(entries.filter(({ server_name: name }) => name === 'later.example')).toMatchObject([
      { event: 'server_first_seen', observed_ts: 5000 },
    ]);
    const again = await open();
    expect([await again.sequencer.run(), again.log.size]).toEqual([false, 101]);
  });

  it('keeps in the queue what a full disk does not take', async () => {
    const one = await open();
    await one.sequencer.run();
    const entries = madeEntries(0, 2000);
    await queueEntries(one.database, entries);
    await fillStore(one.database);
    await expect(one.sequencer.run()).rejects.toThrow(/full|No space/);
    expect(one.log.size).toBe(0);
    await makeRoom(one.database);
    await growTo(one, entries.length);
    expect(await entriesOf(one.database)).toEqual(entries);
  });

  it('refuses to let an entry be changed or taken away', async () => {
    const one = await open();
    await queueEntries(one.database, madeEntries(0, 1));
    await one.sequencer.run();
    const { logEntry } = one.database.client;
    await expect(logEntry.deleteMany()).rejects.toThrow(/append-only/);
    await expect(logEntry.updateMany({ data: { entry: Buffer.from('x') } })).rejects.toThrow(/append-only/);
  });
});
