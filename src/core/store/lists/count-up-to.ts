import type { ReadSource } from '../db.js';
import { asTemplate, rawSql, sql, type Sql } from '../sql/sql.js';

/** Which rows of a table; its name is ours. */
export interface CountedRows {
  table: string;
  where: Sql;
}

/**
 * Counts rows up to a limit, by whatever index serves the condition. Prisma's `count` with `take` sorts by the key,
 * for which SQLite walks through the whole table when few rows are found.
 */
export async function countUpTo(
  { client }: Pick<ReadSource, 'client'>,
  { table, where }: CountedRows,
  limit: number,
): Promise<number> {
  const statement = sql`SELECT COUNT(*) AS found FROM
    (SELECT 1 AS one FROM ${rawSql(table)} WHERE ${where} LIMIT ${limit}) AS piece`;
  const [counted] = await client.$queryRaw<{ found: bigint | number }[]>(
    asTemplate(statement),
    ...statement.values,
  );
  return Number(counted?.found ?? 0);
}
