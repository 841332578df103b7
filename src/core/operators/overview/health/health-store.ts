import { randomBytes } from 'node:crypto';

import { domainOf } from '../../../notary/keys/saving/failed-servers.js';
import type { Database } from '../../../store/db.js';
import { countUpTo } from '../../../store/lists/count-up-to.js';
import { sql } from '../../../store/sql/sql.js';
import { openAlarms, type OpenAlarms } from '../../keys/key-alarms.js';

/** A job that is paused, by whom and why. */
export interface PausedJob {
  job: string;
  pausedBy: string;
  reason: string;
}

/** A key fetch and when it began, POSIX ms. */
export interface LatestFetch {
  serverName: string;
  startedTs: number;
  message: string | null;
}

/** More than the pages of a table have left, as a rule. */
const GROWTH_BYTES = 16 * 1024;
const MAX_COUNTED = 5000;
const MAX_ORIGINS = 50;

/** What health checks ask of the store. */
export class HealthStore {
  constructor(private readonly database: Database) {}

  get engine(): Database['engine'] {
    return this.database.engine;
  }

  /** One cheap look. Rejects when the store is away. */
  ping(): Promise<void> {
    return this.database.ping();
  }

  /** The time by the clock of the database server, POSIX ms; `null` for SQLite, which has none. */
  async serverTs(): Promise<number | null> {
    if (this.database.engine === 'sqlite') return null;
    const [row] = await this.database.client.$queryRaw<{ ms: number }[]>`
      SELECT CAST(EXTRACT(EPOCH FROM CLOCK_TIMESTAMP()) * 1000 AS DOUBLE PRECISION) AS ms`;
    return row === undefined ? null : Math.round(row.ms);
  }

  /** What a PostgreSQL database takes on its server's disk. */
  async sizeBytes(): Promise<number> {
    const [row] = await this.database.client.$queryRaw<{ bytes: bigint }[]>`
      SELECT PG_DATABASE_SIZE(CURRENT_DATABASE()) AS bytes`;
    return Number(row?.bytes ?? 0);
  }

  /** Lets a table grow by a few pages, and takes it back. Rejects when there is no room (`isStoreFull`). */
  async tryToGrow(): Promise<void> {
    const text = randomBytes(GROWTH_BYTES).toString('base64');
    const takenBack = new Error('taken back');
    const work = this.database.plain.transaction(async (runner) => {
      await runner.execute(sql`
        INSERT INTO health_probe (key, subject, state, message, proved_ts)
        VALUES ('database_space', '', 'unproved', ${text}, 0)`);
      throw takenBack;
    });
    await work.catch((error: unknown) => {
      if (error !== takenBack) throw error;
    });
  }

  /** Paused jobs, longest first. */
  pausedJobs(): Promise<PausedJob[]> {
    return this.database.client.jobPause.findMany({ orderBy: { pausedTs: 'asc' } });
  }

  /** When a run of a job on any instance last ended well, POSIX ms; `null`: none that left a row and is kept. */
  async latestOkRunTs(job: string): Promise<number | null> {
    const row = await this.database.client.jobRun.findFirst({
      where: { job, outcome: 'ok' },
      orderBy: { id: 'desc' },
      select: { finishedTs: true },
    });
    const finishedTs = row?.finishedTs ?? null;
    return finishedTs === null ? null : Number(finishedTs);
  }

  /** Servers with a replaced key that nobody has acknowledged. */
  openAlarms(): Promise<OpenAlarms> {
    return openAlarms(this.database);
  }

  /**
   * The latest key fetch since `sinceTs` with this outcome; `reasons`: one that failed for such a reason. `null`: there
   * is none.
   */
  async latestFetch(
    outcome: 'ok' | 'failed',
    sinceTs: number,
    reasons?: readonly string[],
  ): Promise<LatestFetch | null> {
    const reason = reasons === undefined ? {} : { reason: { in: [...reasons] } };
    const row = await this.database.client.keyFetch.findFirst({
      where: { outcome, startedTs: { gt: BigInt(sinceTs) }, ...reason },
      orderBy: { startedTs: 'desc' },
      select: { serverName: true, startedTs: true, message: true },
    });
    return row === null ? null : { ...row, startedTs: Number(row.startedTs) };
  }

  /** Of the 50 servers that gave their keys latest one of each domain, those that are known longest first. */
  async latestOrigins(): Promise<string[]> {
    const rows = await this.database.client.keyRecord.findMany({
      orderBy: { lastSeenTs: 'desc' },
      take: MAX_ORIGINS,
      select: { id: true, serverName: true },
    });
    const ofDomain = new Map<string, string>();
    for (const { serverName } of rows.toSorted((a, b) => a.id - b.id)) {
      const domain = domainOf(serverName);
      if (!ofDomain.has(domain)) ofDomain.set(domain, serverName);
    }
    return [...ofDomain.values()];
  }

  /** Media whose file is gone, counted up to 5,000. */
  missingFiles(): Promise<number> {
    return countUpTo(
      this.database,
      { table: 'media', where: sql`missing_since_ts IS NOT NULL` },
      MAX_COUNTED,
    );
  }
}
