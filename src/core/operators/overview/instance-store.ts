import { z } from 'zod';

import { DAY_MS, SECOND_MS } from '../../base/clock.js';
import type { Database } from '../../store/db.js';

/** A process that has been silent for so long does not count. */
const SILENT_AFTER_MS = 90 * SECOND_MS;
const FORGOTTEN_AFTER_MS = 7 * DAY_MS;

const PREFIX = 'instance ';
const VALUE = z.object({
  startedTs: z.number(),
  version: z.string(),
  runsMediaJobs: z.boolean(),
  /** SHA-256 (hex) of the live settings it runs with. */
  settings: z.string(),
});

/** A process of this service, as it last told. */
export type InstanceInfo = z.infer<typeof VALUE> & { name: string; lastSeenTs: number };

/** The processes that share one store, each a row of state_value with the time it was last seen. */
export class InstanceStore {
  constructor(private readonly database: Pick<Database, 'client'>) {}

  /** A sign of life; forgets processes that have been silent for a week. */
  async heartbeat({ name, lastSeenTs, ...value }: InstanceInfo): Promise<void> {
    const { stateValue } = this.database.client;
    const row = { name: PREFIX + name, value, ts: BigInt(lastSeenTs) };
    await stateValue.upsert({ where: { name: row.name }, create: row, update: row });
    const silent = { lt: BigInt(lastSeenTs - FORGOTTEN_AFTER_MS) };
    await stateValue.deleteMany({ where: { name: { startsWith: PREFIX }, ts: silent } });
  }

  /** A process that ends in order is not waited for. */
  async remove(name: string): Promise<void> {
    await this.database.client.stateValue.deleteMany({ where: { name: PREFIX + name } });
  }

  /** All known processes, the latest seen first. */
  async list(): Promise<InstanceInfo[]> {
    const rows = await this.database.client.stateValue.findMany({
      where: { name: { startsWith: PREFIX } },
      orderBy: [{ ts: 'desc' }, { name: 'asc' }],
    });
    return rows.map(({ name, ts, value }) => ({
      name: name.slice(PREFIX.length),
      lastSeenTs: Number(ts),
      ...VALUE.parse(value),
    }));
  }
}

/** Whether it has given a sign of life lately. */
export function isAlive({ lastSeenTs }: InstanceInfo, nowTs: number): boolean {
  return nowTs - lastSeenTs < SILENT_AFTER_MS;
}
