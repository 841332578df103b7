import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../src/core/base/logger.js';
import { acceptKeyRecord } from '../../src/core/notary/key-record/key-record.js';
import { KeyStore } from '../../src/core/notary/keys/key-store.js';
import { checkKeyExport } from '../../src/core/operators/keys/transfer/key-export-check.js';
import { openDatabase, type Database } from '../../src/core/store/db.js';
import { makeKeyRecord, type TestKey } from '../support/origins/key-record-maker.js';
import { K1, K2 } from '../support/origins/record-recipes.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../support/store/databases.js';
import { runHere } from './in-process.js';
import { temporaryFolder, vidimus } from './vidimus.js';

const POLICY = { requireAllKeysSigned: false, bannedPublicKeys: new Set<string>(), maxKeys: 1000 };
const FILE = 'keys.jsonl';
/** Of the servers that are exported. */
const REFUSED = ['second.test', 'forged.test'];

/** The last one's database: SQLite writes, what the other engine can be had reads. */
const READER = testEngines().at(-1)!;

describe('vidimus key export and import', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const stores: TestDatabase[] = [];
  let publicKey: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    stores.push(await createTestDatabase('sqlite'), await createTestDatabase(READER));
    for (const [index, name] of ['first', 'second'].entries()) {
      const made = await run('keys', 'generate', '--output', `${name}.key`, '--json');
      const key = JSON.parse(made.stdout) as { key_id: string; public_key: string };
      if (index === 0) publicKey = `${key.key_id}:${key.public_key}`;
      const { options } = stores[index]!;
      const config = {
        server_name: `${name}.test`,
        signing_key_path: `${name}.key`,
        database:
          options.engine === 'sqlite' ? { path: options.path } : { engine: options.engine, url: options.url },
      };
      await writeFile(join(folder.path, `${name}.yaml`), JSON.stringify(config));
    }
    await inStore(0, fill);
  });
  afterAll(async () => {
    for (const { cleanup } of stores) await cleanup();
    await folder.remove();
  });

  const run = (...args: string[]) => runHere(args, { cwd: folder.path });
  const importInto = (name: string, ...more: string[]) =>
    run('key', 'import', FILE, '-c', `${name}.yaml`, ...more);
  const inStore = async <T>(index: number, work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openDatabase(stores[index]!.options, createLogger({ level: 'silent' }));
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };

  /** A server that changed its key and went back, one with a record of odd form, the other notary itself, and a forgery. */
  const fill = async (database: Database): Promise<void> => {
    const store = new KeyStore(database);
    const save = async (
      serverName: string,
      key: TestKey,
      fetchedTs: number,
      change = (text: string) => text,
    ): Promise<void> => {
      const signed = makeKeyRecord({ serverName, keys: [key], validUntilTs: 9_000_000 });
      const published = Buffer.from(change(signed.toString()));
      const fetched = { record: acceptKeyRecord(signed, serverName, POLICY), published, fetchedTs };
      await database.plain.transaction((runner) => store.saveAll(runner, [fetched]));
    };
    await save('changed.test', K1, 1000);
    await save('changed.test', K2, 2_000_000);
    await save('changed.test', K1, 3_000_000);
    await save('odd.test', K1, 5000, (text) => `${text} \n`);
    await save('second.test', K2, 6000);
    await save('forged.test', K1, 7000, (text) => text.replace('9000000', '9999999'));
  };
  const known = (database: Database) =>
    Promise.all([
      database.client.keyRecord.findMany({
        where: { serverName: { notIn: REFUSED } },
        omit: { id: true },
        orderBy: [{ serverName: 'asc' }, { lastSeenTs: 'asc' }],
      }),
      database.client.verifyKey.findMany({
        where: { serverName: { notIn: REFUSED } },
        omit: { recordId: true },
        orderBy: [{ serverName: 'asc' }, { keyId: 'asc' }],
      }),
      database.client.newestRecord
        .findMany({ where: { serverName: { notIn: REFUSED } }, orderBy: { fromTs: 'asc' } })
        .then((rows) => rows.map(({ serverName, fromTs }) => ({ serverName, fromTs }))),
    ]);

  it('a new notary knows what the other one knew, since when, and in its own log; a second time is nothing new', async () => {
    const line = ['key', 'export', '-o', FILE, '-c', 'first.yaml'];
    const exported = await vidimus(line, { cwd: folder.path });
    expect(exported).toMatchObject({ code: 0, stderr: `Written: ${FILE}\n` });
    const lines = (await readFile(join(folder.path, FILE), 'utf8')).split('\n');
    const [ownLine = 0, forgedLine = 0] = REFUSED.map(
      (name) => 1 + lines.findIndex((line) => line.includes(`"server_name":"${name}"`)),
    );

    const imported = await importInto('second', '--key', publicKey, '--json');
    const again = await importInto('second');

    const errors = [
      { line: ownLine, reason: 'it is about our own name' },
      { line: forgedLine, reason: expect.stringMatching(/signature/) as string },
    ].toSorted((one, other) => one.line - other.line);
    expect(JSON.parse(imported.stdout)).toEqual({
      notary: 'first.test',
      key_was_given: true,
      records: 5,
      stored: 3,
      known: 0,
      over_budget: 0,
      refused: 2,
      errors,
    });
    expect(imported.code).toBe(1);
    expect(again.stdout).toMatch(/^records {3}5\nstored {4}0\nknown {5}3, /);
    expect(again.stderr).toContain(`line ${ownLine}: it is about our own name\n`);
    expect(await inStore(1, known)).toEqual(await inStore(0, known));
    const { logged, attempts, servers } = await inStore(1, async ({ client }) => ({
      logged: await client.logQueue.count(),
      attempts: await client.keyFetch.count(),
      servers: await client.remoteServer.findMany({ orderBy: { serverName: 'asc' } }),
    }));
    // Three records, and that one came back.
    expect([logged, attempts]).toEqual([4, 0]);
    expect(servers.map(({ serverName, lastOkTs, keyCount }) => [serverName, lastOkTs, keyCount])).toEqual([
      ['changed.test', 3_000_000n, 2],
      ['odd.test', 5000n, 1],
    ]);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['that was cut off', (text) => `${text.split('\n').slice(0, -2).join('\n')}\n`, /it is cut off/],
    [
      'with a line less',
      (text) => text.replace(/^.*"odd\.test".*\n/m, ''),
      /something else than the lines before/,
    ],
    [
      'with another time',
      (text) => text.replace('"last_seen_ts":5000', '"last_seen_ts":5001'),
      /are others than/,
    ],
    ['of something else', () => '{}\n', /no export of the form/],
  ])('a file %s is refused as a whole', async (_name, change, sentence) => {
    const text = await readFile(join(folder.path, FILE), 'utf8');
    const lines = change(text)
      .split('\n')
      .slice(0, -1)
      .map((line) => Buffer.from(line));

    await expect(
      checkKeyExport(
        (async function* () {
          yield* lines;
        })(),
      ),
    ).rejects.toThrow(sentence);
  });
});
