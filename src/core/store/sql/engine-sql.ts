import type { Database } from '../db.js';
import { rawSql, sql, type Sql } from './sql.js';

type Engine = Database['engine'];

/** What the engines say differently, as pieces of SQL. Lists go as one value, so that each statement is known already. */
export const ENGINE_SQL: Readonly<
  Record<
    Engine,
    {
      /** A query of one column, `key`, with a row for each of the keys. */
      keys: (keys: readonly string[]) => Sql;
      /** Ends a query whose rows are to be written: in their order, so that two instances never wait for each other. */
      hold: Sql;
      /** The same for rows that may be left out. */
      holdFree: Sql;
    }
  >
> = {
  postgresql: {
    keys: (keys) => sql`SELECT jsonb_array_elements_text(CAST(${JSON.stringify(keys)} AS JSONB)) AS key`,
    hold: rawSql('FOR UPDATE'),
    holdFree: rawSql('FOR UPDATE SKIP LOCKED'),
  },
  // A transaction that writes has the whole file to itself.
  sqlite: {
    keys: (keys) => sql`SELECT value AS key FROM json_each(${JSON.stringify(keys)})`,
    hold: rawSql(''),
    holdFree: rawSql(''),
  },
};
