import { ApiError } from '../base/errors/api-error.js';
import type { Database, Db, DbTransaction } from './db.js';

/** The part of a model's client that copies rows. */
interface Rows {
  count(): Promise<number>;
  findMany(page: { skip: number; take: number }): Promise<Record<string, unknown>[]>;
  createMany(rows: { data: Record<string, unknown>[] }): Promise<unknown>;
}

const PAGE_ROWS = 1000;
const DAY_MS = 24 * 3_600_000;

/**
 * Copies all rows of a SQLite database into an empty, migrated one of PostgreSQL, in one transaction: an interrupted
 * copy leaves nothing. No server may run on either. Rejects with 409 when the target is not empty.
 */
export async function copyDatabase(source: Database, target: Database): Promise<number> {
  const { Prisma } = await import('./generated/sqlite/client.js');
  // The schema names parents before their children.
  const models = Object.values(Prisma.ModelName);
  return target.client.$transaction(
    async (transaction) => {
      let rows = 0;
      for (const model of models) await refuseFilled(rowsOf(transaction, model), model);
      for (const model of models) {
        const [from, to] = [rowsOf(source.client, model), rowsOf(transaction, model)];
        const wanted = await from.count();
        // Nothing writes meanwhile, so that pages by their number are whole.
        for (let skip = 0; skip < wanted; skip += PAGE_ROWS) {
          const page = await from.findMany({ skip, take: PAGE_ROWS });
          await to.createMany({ data: page.map(withoutNulls) });
        }
        const copied = await to.count();
        if (wanted !== copied) throw new Error(`${copied} of ${wanted} rows of ${model} were copied`);
        rows += copied;
      }
      await copySequences(source.client, transaction);
      return rows;
    },
    { timeout: DAY_MS },
  );
}

function rowsOf(client: Db | DbTransaction, model: string): Rows {
  const name = `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each model of the schema has these
  return Reflect.get(client, name) as Rows;
}

async function refuseFilled(rows: Rows, model: string): Promise<void> {
  if ((await rows.count()) === 0) return;
  const message = `The target is not empty: it has rows of ${model}. Nothing was changed; name an empty database.`;
  throw new ApiError(409, message, { reason: 'target_not_empty' });
}

/** Prisma takes no null for a JSON column; what is left out is null. */
function withoutNulls(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** Numbers that were given to rows are not given again, though the rows may be gone. */
async function copySequences(from: Db, to: DbTransaction): Promise<void> {
  const given = await from.$queryRaw<{ name: string; seq: bigint }[]>`
    SELECT name, CAST(seq AS BIGINT) AS seq FROM sqlite_sequence WHERE seq > 0`;
  const columns = await to.$queryRaw<{ name: string; column: string }[]>`
    SELECT table_name AS name, column_name AS column FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_default LIKE 'nextval(%'`;
  for (const { name, column } of columns) {
    const last = given.find((each) => each.name === name)?.seq;
    if (last !== undefined)
      await to.$executeRaw`SELECT setval(pg_get_serial_sequence(${name}, ${column}), ${last})`;
  }
}
