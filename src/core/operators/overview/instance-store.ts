import { DAY_MS, SECOND_MS } from '../../base/clock.js';
import type { Database } from '../../store/db.js';

/** A process of this service, as it last told. */
export interface InstanceInfo {
  name: string;
  startedTs: number;
  lastSeenTs: number;
  version: string;
  runsMediaJobs: boolean;
  /** SHA-256 (hex) of the live settings it runs with; empty in rows of earlier versions. */
  settings: string;
}

/** A process that has been silent for so long does not count. */
const SILENT_AFTER_MS = 90 * SECOND_MS;
const FORGOTTEN_AFTER_MS = 7 * DAY_MS;

/** The processes that share one store. */
export class InstanceStore {
  constructor(private readonly database: Database) {}

  /** A sign of life; forgets processes that have been silent for a week. */
  async heartbeat(info: InstanceInfo): Promise<void> {
    const { instance } = this.database.client;
    const { name, ...rest } = info;
    const data = { ...rest, startedTs: BigInt(rest.startedTs), lastSeenTs: BigInt(rest.lastSeenTs) };
    await instance.upsert({
      where: { name },
      create: { name, ...data },
      update: data,
      select: { name: true },
    });
    await instance.deleteMany({
      where: { lastSeenTs: { lt: BigInt(info.lastSeenTs - FORGOTTEN_AFTER_MS) } },
    });
  }

  /** A process that ends in order is not waited for. */
  async remove(name: string): Promise<void> {
    await this.database.client.instance.deleteMany({ where: { name } });
  }

  /** All known processes, the latest seen first. */
  async list(): Promise<InstanceInfo[]> {
    const rows = await this.database.client.instance.findMany({
      orderBy: [{ lastSeenTs: 'desc' }, { name: 'asc' }],
    });
    return rows.map((row) => ({
      ...row,
      startedTs: Number(row.startedTs),
      lastSeenTs: Number(row.lastSeenTs),
    }));
  }
}

/** Whether it has given a sign of life lately. */
export function isAlive({ lastSeenTs }: InstanceInfo, nowTs: number): boolean {
  return nowTs - lastSeenTs < SILENT_AFTER_MS;
}
