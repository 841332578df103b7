import { isRecord } from '../../../base/json/is-record.js';
import type { Database } from '../../../store/db.js';

/** Totals as last measured, by name, with the time. */
export interface MeasuredTotals {
  values: ReadonlyMap<string, number>;
  /** `null`: never measured. */
  measuredTs: number | null;
}

const NAME = 'totals';

/** Totals that are too expensive to count at every look. */
export class TotalStore {
  constructor(private readonly database: Database) {}

  /** Replaces all totals. */
  async replace(values: ReadonlyMap<string, number>, measuredTs: number): Promise<void> {
    const row = { value: Object.fromEntries(values), ts: BigInt(measuredTs) };
    const { stateValue } = this.database.client;
    await stateValue.upsert({ where: { name: NAME }, create: { name: NAME, ...row }, update: row });
  }

  async read(): Promise<MeasuredTotals> {
    const row = await this.database.client.stateValue.findFirst({ where: { name: NAME } });
    const totals = isRecord(row?.value) ? Object.entries(row.value) : [];
    return {
      values: new Map(totals.map(([name, value]) => [name, Number(value)])),
      measuredTs: row === null ? null : Number(row.ts),
    };
  }
}
