import { UNFINISHED_COPY } from '../migration/rows.js';
import type { RowSource, RowStore, SourceTable } from './row-store.js';
import { inOrder, isRowOf, isSameRow, keyOf, type Row, type Table } from './table.js';

/** Why rows were not copied; the message is a sentence for the operator. */
export class CopyRefusal extends Error {}

/** How far copying is. */
export interface FillState {
  rowCount: number;
  /** Rows that were looked at. */
  rows: number;
  copied: number;
  /** Were there already, from a run that was interrupted. */
  same: number;
  table: string;
}

export function newFillState(): FillState {
  return { rowCount: 0, rows: 0, copied: 0, same: 0, table: '' };
}

/** What speaks against filling a database: names of tables with rows. */
export async function filledTables(store: RowStore): Promise<string[]> {
  const filled: string[] = [];
  for (const table of inOrder(store.tables)) if ((await store.count(table)) > 0) filled.push(table.name);
  return filled;
}

/** From now on no server starts on the database, until `markWhole`. */
export function markUnfinished(store: RowStore): Promise<void> {
  return store.execute(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, applied_steps_count)
     VALUES ('${UNFINISHED_COPY}', '', '${UNFINISHED_COPY}', CURRENT_TIMESTAMP, 0)`,
  );
}

/** The opposite of `markUnfinished`. */
export function markWhole(store: RowStore): Promise<void> {
  return store.execute(`DELETE FROM _prisma_migrations WHERE id = '${UNFINISHED_COPY}'`);
}

/**
 * Fills a database that is empty, or that was begun to be filled from the same source: every row is read back and
 * compared, and what is there already has to be the same. Nothing that is there is changed. Rejects with `CopyRefusal`.
 */
export async function fill(source: RowSource, target: RowStore, state: FillState): Promise<void> {
  state.rowCount = source.rowCount;
  const missing = new Map(inOrder(target.tables).map((table) => [table.name, table]));
  for await (const sourceTable of source.tables()) {
    const table = missing.get(sourceTable.name);
    if (table === undefined) throw new CopyRefusal(`The target has no table ${sourceTable.name}.`);
    missing.delete(table.name);
    await fillTable(sourceTable, { target, table }, state);
  }
  const [left] = missing.keys();
  if (left !== undefined) throw new CopyRefusal(`The source has no table ${left}.`);
}

interface Place {
  target: RowStore;
  table: Table;
}

async function fillTable(source: SourceTable, place: Place, state: FillState): Promise<void> {
  const { target, table } = place;
  if (source.columnNames.join() !== table.columns.map(({ name }) => name).join())
    throw new CopyRefusal(`The table ${table.name} has other columns in the source than in the target.`);
  state.table = table.name;
  const isBegun = (await target.count(table)) > 0;
  let count = 0;
  for await (const rows of source.pages()) {
    for (const row of rows)
      if (!isRowOf(table, row)) throw new CopyRefusal(`A row of ${table.name} has values that do not fit.`);
    await fillPage(rows, place, { state, isBegun });
    count += rows.length;
  }
  if ((await target.count(table)) !== count)
    throw new CopyRefusal(`The target has rows in ${table.name} that the source has not. ${EMPTY_IT}`);
  if (source.lastKey > 0) await target.setLastKey(table, source.lastKey);
}

async function fillPage(
  rows: readonly Row[],
  { target, table }: Place,
  { state, isBegun }: { state: FillState; isBegun: boolean },
): Promise<void> {
  const there = isBegun ? await findAll(target, table, rows) : new Map<string, Row>();
  const added = rows.filter((row) => {
    const found = there.get(nameOf(table, row));
    if (found !== undefined && !isSameRow(table, row, found)) throw differs(table, row);
    return found === undefined;
  });
  if (added.length > 0) {
    await target.insert(table, added);
    const written = await findAll(target, table, added);
    for (const row of added) {
      const found = written.get(nameOf(table, row));
      if (found === undefined || !isSameRow(table, row, found)) throw readBackOtherwise(table, row);
    }
  }
  state.rows += rows.length;
  state.copied += added.length;
  state.same += rows.length - added.length;
}

async function findAll(target: RowStore, table: Table, rows: readonly Row[]): Promise<Map<string, Row>> {
  const found = await target.find(
    table,
    rows.map((row) => keyOf(table, row)),
  );
  return new Map(found.map((row) => [nameOf(table, row), row]));
}

function nameOf(table: Table, row: Row): string {
  return JSON.stringify(keyOf(table, row));
}

const EMPTY_IT = 'Start again with an empty target.';

const differs = (table: Table, row: Row): CopyRefusal =>
  new CopyRefusal(
    `Row ${nameOf(table, row)} of ${table.name} is another in the target than in the source. ${EMPTY_IT}`,
  );

const readBackOtherwise = (table: Table, row: Row): CopyRefusal =>
  new CopyRefusal(`Row ${nameOf(table, row)} of ${table.name} was read back otherwise than it was written.`);
