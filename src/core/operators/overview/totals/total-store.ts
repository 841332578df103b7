import type { Database } from '../../../store/db.js';
import { insertRows } from '../../../store/sql/insert-rows.js';
import { sql } from '../../../store/sql/sql.js';

/** Totals as last measured, by name, with the time. */
export interface MeasuredTotals {
  values: ReadonlyMap<string, number>;
  /** `null`: never measured. */
  measuredTs: number | null;
}

/** Totals that are too expensive to count at every look; rows of store_total. */
export class TotalStore {
  constructor(private readonly database: Database) {}

  /** Replaces all totals. */
  async replace(values: ReadonlyMap<string, number>, measuredTs: number): Promise<void> {
    const rows = [...values].map(([name, value]) => ({ name, value, measured_ts: measuredTs }));
    await this.database.plain.transaction(async (runner) => {
      await runner.write(sql`DELETE FROM store_total`);
      await insertRows(runner, { table: 'store_total' }, rows);
    });
  }

  async read(): Promise<MeasuredTotals> {
    const rows = await this.database.client.storeTotal.findMany();
    const first = rows[0];
    return {
      values: new Map(rows.map((row) => [row.name, Number(row.value)])),
      measuredTs: first === undefined ? null : Number(first.measuredTs),
    };
  }
}
