import { createRows, type Database } from '../../../store/db.js';

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
    const rows = [...values].map(([name, value]) => ({ name, value, measuredTs }));
    await this.database.client.$transaction(async ({ storeTotal }) => {
      await storeTotal.deleteMany();
      await createRows((piece) => storeTotal.createMany(piece), rows);
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
