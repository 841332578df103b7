import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { acceptKeyRecord } from '../../../../src/core/notary/key-record/key-record.js';
import {
  type FetchOutcome,
  pruneFetches,
  unknownHealth,
} from '../../../../src/core/notary/keys/fetch-store.js';
import { RecordCache } from '../../../../src/core/notary/keys/record-cache.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { outcomeWriter } from '../../../support/store/outcome-writer.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../../support/store/databases.js';
import { makeKeyRecord } from '../../../support/origins/key-record-maker.js';
import { K1, K2 } from '../../../support/origins/record-recipes.js';

const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };
const MANY = 100;

describe.each(testEngines())('outcomes of fetches that end at the same time, on %s', (engine) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase(engine);
    database = await openDatabase(place.options, createLogger({ level: 'silent' }));
  });
  afterAll(async () => {
    await database.close();
    await place.cleanup();
  });

  /** A writer of its own, as another process has one. */
  const createWriter = () => outcomeWriter(database, MANY);

  const outcome = (serverName: string, keys = [K1], startedTs = 1000): FetchOutcome => {
    const published = makeKeyRecord({ serverName, keys, validUntilTs: 9_000_000 });
    return {
      entry: {
        serverName,
        startedTs,
        durationMs: 5,
        outcome: 'ok',
        reason: null,
        message: null,
        cause: 'query',
        steps: [{ name: 'record', status: 'ok', ms: 1, sentence: 'zero \u0000 and \\u0000' }],
      },
      health: unknownHealth(startedTs),
      fetched: { record: acceptKeyRecord(published, serverName, POLICY), published, fetchedTs: startedTs },
      events: [],
    };
  };
  const spoilt = (serverName: string): FetchOutcome => {
    const whole = outcome(serverName);
    return { ...whole, entry: { ...whole.entry, cause: null as never } };
  };
  const kinds = async (serverName: string) =>
    (await database.client.keyEvent.findMany({ where: { serverName } })).map(({ kind }) => kind);

  it('are stored together, each with all that belongs to it', async () => {
    const writer = createWriter();
    const names = Array.from({ length: MANY }, (_, index) => `s${index}.example`);
    await Promise.all(names.map((name) => writer.write(outcome(name))));

    const { client } = database;
    const records = await client.keyRecord.findMany({ include: { verifyKeys: true } });
    expect(new Set(records.map(({ serverName }) => serverName))).toEqual(new Set(names));
    for (const { serverName, published, verifyKeys } of records) {
      expect(Buffer.from(published).toString()).toContain(`"${serverName}"`);
      expect(verifyKeys.map((key) => [key.serverName, key.keyId])).toEqual([[serverName, K1.keyId]]);
    }
    const fetches = await client.keyFetch.findMany();
    const idOf = new Map(records.map((record) => [record.serverName, record.id]));
    expect(fetches.map(({ recordId }) => recordId)).toEqual(
      fetches.map(({ serverName }) => idOf.get(serverName)),
    );
    expect(fetches[0]?.steps).toEqual([
      { name: 'record', status: 'ok', ms: 1, sentence: 'zero \ufffd and \\u0000' },
    ]);
    expect(await client.remoteServer.count()).toBe(MANY);
    expect(await kinds('s7.example')).toEqual(['server_first_seen', 'key_added']);
  });

  it('are there for everybody once the promise is kept', async () => {
    const other = await openDatabase(place.options, createLogger({ level: 'silent' }));
    await createWriter().write(outcome('durable.example'));
    expect(await other.client.keyRecord.count({ where: { serverName: 'durable.example' } })).toBe(1);
    await other.close();
  });

  it('are stored although one of them cannot be, and only that one is lost', async () => {
    const writer = createWriter();
    const results = await Promise.allSettled([
      writer.write(outcome('before.example')),
      writer.write(spoilt('spoilt.example')),
      writer.write(outcome('after.example')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const where = { serverName: { in: ['before.example', 'spoilt.example', 'after.example'] } };
    expect(await database.client.keyRecord.count({ where })).toBe(2);
    expect(await database.client.remoteServer.count({ where })).toBe(2);
    await writer.write(outcome('spoilt.example'));
    expect(await kinds('spoilt.example')).toEqual(['server_first_seen', 'key_added']);
  });

  it('are not kept in memory when they are forgotten before all of them are stored', async () => {
    const clock = new ManualClock();
    const load = async () => new Map();
    const limits = { maxBytes: 1_000_000, lifetimeMs: 30_000 };
    const cache = new RecordCache({ load, clock, sign: (published) => published, ...limits });
    const writer = outcomeWriter(database, MANY, cache);
    const last = outcome('last.example');
    const forgets = {
      get cause() {
        cache.forget('deleted.example');
        return 'query' as const;
      },
    };
    await Promise.allSettled([
      writer.write(outcome('deleted.example')),
      writer.write(spoilt('alone.example')),
      writer.write(
        Object.assign(last, {
          entry: Object.defineProperties(last.entry, Object.getOwnPropertyDescriptors(forgets)),
        }),
      ),
    ]);
    expect(cache.peek('last.example', clock.now())?.records).toHaveLength(1);
    expect(cache.peek('deleted.example', clock.now())).toBeUndefined();
  });

  it('of two instances about the same server end as if one had come after the other', async () => {
    const writers = Array.from({ length: 4 }, () => createWriter());
    const names = Array.from({ length: 8 }, (_, index) => `both${index}.example`);
    await Promise.all(
      writers.flatMap((writer, index) =>
        names.map((name) => writer.write(outcome(name, index % 2 === 0 ? [K1] : [K1, K2], 2000))),
      ),
    );
    for (const name of names) {
      const seen = await kinds(name);
      expect(seen.filter((kind) => kind === 'server_first_seen')).toHaveLength(1);
      const rows = await database.client.verifyKey.findMany({ where: { serverName: name } });
      expect(rows.map(({ keyId }) => keyId).toSorted()).toEqual([K1.keyId, K2.keyId].toSorted());
    }
  });

  it('old attempts are forgotten, with servers that never gave a record, however their records came', async () => {
    const { remoteServer, keyFetch } = database.client;
    const server = (
      serverName: string,
      known: { addedTs?: bigint; lastOkTs?: bigint; lastFetchTs?: bigint },
    ) =>
      remoteServer.create({
        data: {
          serverName,
          firstAskedTs: 0,
          lastFetchTs: 5,
          ...known,
        },
      });
    const names = async () =>
      (await remoteServer.findMany({ where: { serverName: { endsWith: '.pruned' } } })).map(
        (row) => row.serverName,
      );
    await server('never.pruned', {});
    await server('of-late.pruned', { lastFetchTs: 10n });
    await server('reached.pruned', { lastOkTs: 4n, addedTs: 4n });
    await server('imported.pruned', { addedTs: 4n });
    const before = await keyFetch.count();

    expect(await pruneFetches(database, { beforeTs: 10, limit: 500 })).toBe(1);
    expect((await names()).toSorted()).toEqual(['imported.pruned', 'of-late.pruned', 'reached.pruned']);
    expect(await keyFetch.count()).toBe(before);
  });
});
