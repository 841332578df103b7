import { readFileSync } from 'node:fs';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { migrate } from '../../../../src/core/store/migrate.js';
import { migrationNames, migrationsFolder } from '../../../../src/core/store/migration/files.js';
import type { DatabaseOptions } from '../../../../src/core/store/db.js';
import { BackupFile, writeBackup } from '../../../../src/core/store/transfer/backup-file.js';
import { newFillState, type FillState } from '../../../../src/core/store/transfer/fill.js';
import { fillDatabase } from '../../../../src/core/store/transfer/fill-database.js';
import { openRows } from '../../../../src/core/store/transfer/open-rows.js';
import type { RowSource, RowStore } from '../../../../src/core/store/transfer/row-store.js';
import { sourceOf } from '../../../../src/core/store/transfer/stored-source.js';
import {
  LEFT_OUT,
  inOrder,
  isSameRow,
  type ColumnKind,
  type Row,
  type Table,
  type Value,
} from '../../../../src/core/store/transfer/table.js';
import {
  createEmptyDatabase,
  createTestDatabase,
  testEngines,
  type TestDatabase,
  type TestEngine,
} from '../../../support/store/databases.js';

const MODELS = [...readFileSync('prisma/schema.prisma', 'utf8').matchAll(/@@map\("(\w+)"\)/g)].map(
  ([, name = '']) => name,
);
const MIGRATIONS = migrationNames(migrationsFolder('sqlite'));
const logger = createLogger({ level: 'silent' });
/** More than a page. */
const ROWS = 260;
const LAST_KEY = 1000;

const VALUES: Record<ColumnKind, (name: string, at: number) => Value> = {
  integer: (name, at) => (name.endsWith('_ts') && at === 1 ? '9223372036854775807' : at),
  float: (_, at) => at / 3,
  text: (name, at) => `${name} ${at} "ä'\\\n🗝,{}`,
  bytes: (_, at) => Buffer.from([0, 255, 92, at % 256, 10]).toString('base64'),
  boolean: (_, at) => at % 2 === 0,
  json: (_, at) => `{"z":${at},"a":["\\"",null,1.5]}`,
};

const rowOf = (table: Table, at: number): Row =>
  table.columns.map(({ name, kind }) => VALUES[kind](name, at));

/** Every value that the kinds of columns can hold, in every table. */
async function fillWithRows(store: RowStore): Promise<void> {
  for (const table of inOrder(store.tables)) {
    const count = table.name === 'key_record' ? ROWS : 3;
    await store.insert(
      table,
      Array.from({ length: count }, (_, at) => rowOf(table, at + 1)),
    );
    if (table.isCounted) await store.setLastKey(table, LAST_KEY);
  }
}

async function withRows<T>(
  options: DatabaseOptions,
  use: 'snapshot' | 'write',
  work: (store: RowStore) => Promise<T>,
): Promise<T> {
  const store = await openRows(options, use);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function readAll(options: DatabaseOptions): Promise<{ table: Table; rows: Row[]; lastKey: number }[]> {
  return withRows(options, 'snapshot', async (store) => {
    const found = [];
    for (const table of inOrder(store.tables)) {
      const rows = [];
      for await (const page of store.pages(table)) rows.push(...page);
      found.push({ table, rows, lastKey: await store.lastKey(table) });
    }
    return found;
  });
}

async function expectSame(source: DatabaseOptions, target: DatabaseOptions): Promise<void> {
  const [wanted, found] = [await readAll(source), await readAll(target)];
  // SQLite also counts keys that we give ourselves.
  const counted = new Set(found.filter(({ table }) => table.isCounted).map(({ table }) => table.name));
  const lastKeys = (tables: typeof found) =>
    tables
      .filter(({ table }) => counted.has(table.name) && table.isCounted)
      .map(({ table, lastKey }) => [table.name, lastKey]);
  expect(Object.fromEntries(lastKeys(found))).toMatchObject(Object.fromEntries(lastKeys(wanted)));
  expect(found.map(({ table, rows }) => [table.name, rows.length])).toEqual(
    wanted.map(({ table, rows }) => [table.name, rows.length]),
  );
  for (const [index, { table, rows }] of wanted.entries()) {
    // The engines sort texts otherwise.
    const [left, right] = [rows, found[index]!.rows].map((list) =>
      list.toSorted((a, b) =>
        JSON.stringify(sortable(table, a)) < JSON.stringify(sortable(table, b)) ? -1 : 1,
      ),
    );
    expect(left!.filter((row, at) => !isSameRow(table, row, right![at]!))).toEqual([]);
  }
}

const sortable = ({ columns, key }: Table, row: Row) =>
  row.filter((_, index) => key.includes(columns[index]!.name));

const copy = (source: DatabaseOptions, target: DatabaseOptions, change = (rows: RowSource) => rows) =>
  withRows(source, 'snapshot', async (store): Promise<FillState> => {
    const state = newFillState();
    await fillDatabase({ target, source: change(await sourceOf(store, MIGRATIONS)), logger }, state);
    return state;
  });

/** Ends in the middle of a table. */
const cutOff = (rows: RowSource): RowSource => ({
  ...rows,
  async *tables() {
    for await (const table of rows.tables()) {
      if (table.name !== 'key_record') {
        yield table;
        continue;
      }
      yield {
        ...table,
        async *pages() {
          for await (const page of table.pages()) {
            yield page;
            throw new Error('the cable was pulled');
          }
        },
      };
    }
  },
});

const [one, other = one] = testEngines() as [TestEngine, TestEngine?];
const pairs: [TestEngine, TestEngine][] =
  one === other
    ? [[one, one]]
    : [
        [one, other],
        [other, one],
      ];

describe.each(testEngines())('rows of %s', (engine) => {
  it('are those of every table of the schema, but for what only holds while servers run', async () => {
    const database = await createTestDatabase(engine);
    const tables = await withRows(database.options, 'snapshot', async (store) => store.tables);
    await database.cleanup();

    expect(tables.map(({ name }) => name).toSorted()).toEqual(MODELS.toSorted());
    expect([...LEFT_OUT].filter((name) => !MODELS.includes(name))).toEqual([]);
    expect(tables.filter(({ key }) => key.length === 0)).toEqual([]);
    expect(inOrder(tables).map(({ name }) => name)).toHaveLength(MODELS.length - LEFT_OUT.size);
  });
});

describe.each(pairs)('copying from %s to %s', (from, to) => {
  let source: TestDatabase;
  let target: TestDatabase;
  const opened: TestDatabase[] = [];
  const empty = async (): Promise<TestDatabase> => {
    target = await createTestDatabase(to);
    opened.push(target);
    return target;
  };

  beforeAll(async () => {
    source = await createTestDatabase(from);
    await withRows(source.options, 'write', fillWithRows);
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.cleanup();
  });
  afterAll(() => source.cleanup());

  it('keeps every value of every table, and the keys that were given, and goes on after an interruption', async () => {
    const { options } = await empty();
    await expect(copy(source.options, options, cutOff)).rejects.toThrow('the cable was pulled');
    await expect(migrate(options, logger)).rejects.toMatchObject({ reason: 'copy_unfinished' });

    const state = await copy(source.options, options);

    expect(state.same).toBeGreaterThan(240);
    expect(state.rows).toBe(state.same + state.copied);
    expect(state.rows).toBe(state.rowCount);
    await expectSame(source.options, options);
    expect(await migrate(options, logger)).toEqual({ applied: [] });
  });

  it('refuses a target with rows of its own, and one that was changed meanwhile', async () => {
    const { options } = await empty();
    await expect(copy(source.options, options, cutOff)).rejects.toThrow('the cable was pulled');
    await withRows(options, 'write', async (store) => {
      const media = store.tables.find(({ name }) => name === 'store_total')!;
      await store.insert(media, [rowOf(media, 99)]);
    });
    await expect(copy(source.options, options)).rejects.toThrow(
      'The target has rows in store_total that the source has not. Start again with an empty target.',
    );

    const other = await createTestDatabase(to);
    opened.push(other);
    await withRows(other.options, 'write', fillWithRows);
    await withRows(other.options, 'write', (store) => store.execute('DELETE FROM admin_session'));
    await expect(copy(source.options, other.options)).rejects.toThrow(
      /^The target is not empty: it has \w+, \w+, \w+, …\. Nothing was changed; name an empty database\.$/,
    );
    const [left] = (await readAll(other.options)).filter(({ table }) => table.name === 'admin_session');
    expect(left?.rows).toEqual([]);
  });

  it('goes through a file as well', async () => {
    const text = await backupOf(source.options);

    const { rows, rowCount } = await restore(text, (await empty()).options);

    expect(rows).toBe(rowCount);
    await expectSame(source.options, target.options);
  });
});

const HEAD = { version: '1.2.3', serverName: 'notary.test', createdTs: 5 };

function backupOf(options: DatabaseOptions, migrations = MIGRATIONS): Promise<string> {
  return withRows(options, 'snapshot', async (store) => {
    let text = '';
    for await (const piece of writeBackup(HEAD, await sourceOf(store, migrations), () => undefined))
      text += piece;
    return text;
  });
}

async function restore(text: string, target: DatabaseOptions): Promise<FillState> {
  async function* lines() {
    yield* text
      .split('\n')
      .slice(0, -1)
      .map((line) => Buffer.from(line));
  }
  const state = newFillState();
  await fillDatabase({ target, source: await BackupFile.open(lines()), logger }, state);
  return state;
}

describe('a backup', () => {
  let source: TestDatabase;
  let target: TestDatabase;
  let text: string;
  beforeAll(async () => {
    source = await createTestDatabase('sqlite');
    await withRows(source.options, 'write', fillWithRows);
    text = await backupOf(source.options);
  });
  afterAll(() => source.cleanup());
  afterEach(() => target.cleanup());

  it.each<[string, (whole: string) => string, RegExp]>([
    [
      'that is cut off',
      (whole) => whole.split('\n').slice(0, -2).join('\n') + '\n',
      /Line \d+: the file is cut off\.$/,
    ],
    [
      'with another row',
      (whole) => whole.replace('"name 2 ', '"name 7 '),
      /Line \d+: the lines before it are others/,
    ],
    ['with a row too many', (whole) => `${whole}[]\n`, /Line \d+: something follows it\.$/],
    [
      'of something else',
      () => '{"format":"other/1"}\n',
      /Line 1: this is no backup of the form vidimus-backup\/1\.$/,
    ],
    [
      'with a value of another kind',
      (whole) => whole.replace(/^\[1,/m, '[true,'),
      /has values that do not fit\.$/,
    ],
    [
      'of a newer version',
      (whole) => whole.replace(MIGRATIONS.at(-1)!, '29990101000000_future'),
      /newer version/,
    ],
  ])('%s is refused, and what came of it serves nobody', async (_name, change, sentence) => {
    target = await createTestDatabase('sqlite');

    await expect(restore(change(text), target.options)).rejects.toThrow(sentence);

    const started = await migrate(target.options, logger).then(
      ({ applied }) => applied.length,
      (error: { reason: string }) => error.reason,
    );
    // Refused before anything was written, or not whole.
    const isEmpty = (await readAll(target.options)).every(({ rows }) => rows.length === 0);
    expect(started).toBe(isEmpty ? 0 : 'copy_unfinished');
  });

  it('is refused by a target that keeps something else than was written', async () => {
    target = await createTestDatabase('sqlite');
    await withRows(target.options, 'write', (store) =>
      store.execute(`CREATE TRIGGER wrong AFTER INSERT ON store_total
        BEGIN UPDATE store_total SET value = value + 1 WHERE name = NEW.name; END`),
    );

    await expect(restore(text, target.options)).rejects.toThrow(/of store_total was read back otherwise/);
  });

  it('of an older version is restored into its own tables, which are brought up to date then', async () => {
    const older = MIGRATIONS.slice(0, 1);
    const state = newFillState();
    const old = await createEmptyDatabase('sqlite');
    const none = (async function* () {})();
    target = await createEmptyDatabase('sqlite');
    await expect(
      fillDatabase(
        { target: old.options, source: { rowCount: 0, migrations: older, tables: () => none }, logger },
        state,
      ),
    ).rejects.toThrow('The source has no table');
    await withRows(old.options, 'write', async (store) => {
      await store.execute('DELETE FROM _prisma_migrations WHERE finished_at IS NULL');
      const table = store.tables.find(({ name }) => name === 'key_record')!;
      await store.insert(table, [rowOf(table, 7)]);
    });

    await restore(await backupOf(old.options, older), target.options);

    const records = (await readAll(target.options)).find(({ table }) => table.name === 'key_record');
    expect(records?.rows).toHaveLength(1);
    expect(await migrate(target.options, logger)).toEqual({ applied: [] });
    await old.cleanup();
  });
});
