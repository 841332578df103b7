import { DAY_MS } from '../base/clock.js';
import { isRecord } from '../base/json/is-record.js';
import { enumColumn } from '../store/enum-column.js';
import type { Database, JobRunRow } from '../store/db.js';
import { newestFirst } from '../store/lists/keyset-cursor.js';
import { RecordList } from '../store/lists/record-list.js';
import {
  RUN_REASONS,
  JOB_CAUSES,
  RUN_OUTCOMES,
  type JobRun,
  type RunOutcome,
  type RunReport,
  type RunState,
} from './job-run.js';
import type { RunCounts } from './run-progress.js';

/** A run that begins now. */
export type NewRun = Pick<JobRun, 'job' | 'cause' | 'actor' | 'startedTs' | 'instance'>;

type RunEnd = RunState & Pick<JobRun, 'durationMs' | 'message'> & { outcome: RunReport['outcome'] };

const RETENTION_MS = 7 * DAY_MS;

/** Runs of jobs, under way and finished. Each one that ends takes those along that are too old. */
export class JobRunStore {
  constructor(private readonly database: Database) {}

  /** Stores a run that is under way. */
  async create(run: NewRun): Promise<JobRun> {
    const startedTs = BigInt(run.startedTs);
    const data = { ...run, startedTs, heartbeatTs: startedTs, outcome: 'running', counts: {}, bytes: 0n };
    return toRun(await this.database.client.jobRun.create({ data }));
  }

  /** Removes a run that did nothing. */
  async remove(id: number): Promise<void> {
    await this.database.client.jobRun.deleteMany({ where: { id } });
  }

  /** A sign of life. Resolves to whether an operator asked to end the run; a row that is gone says no. */
  async heartbeat(id: number, { progress, counts, bytes }: RunState, nowTs: number): Promise<boolean> {
    const [row] = await this.database.client.jobRun.updateManyAndReturn({
      where: { id, outcome: 'running' },
      data: { progress, counts: { ...counts }, bytes: BigInt(bytes), heartbeatTs: BigInt(nowTs) },
      select: { cancelTs: true },
    });
    return row !== undefined && row.cancelTs !== null;
  }

  async finish({ id, startedTs }: Pick<JobRun, 'id' | 'startedTs'>, end: RunEnd): Promise<void> {
    const { counts, bytes, durationMs } = end;
    const finishedTs = BigInt(startedTs + durationMs);
    const data = { ...end, counts: { ...counts }, bytes: BigInt(bytes), finishedTs };
    const { jobRun } = this.database.client;
    await jobRun.updateMany({ where: { id }, data });
    await jobRun.deleteMany({ where: { startedTs: { lt: BigInt(startedTs - RETENTION_MS) } } });
  }

  /** Asks the instance that runs it to end a run; it looks every few seconds. `false`: it is over already. */
  async requestCancel(id: number, nowTs: number): Promise<boolean> {
    const { count } = await this.database.client.jobRun.updateMany({
      where: { id, outcome: 'running' },
      data: { cancelTs: BigInt(nowTs) },
    });
    return count > 0;
  }

  /** Closes runs as failed whose processes have ended: those without a sign of life since a time, by default all. */
  async closeDead(silentSinceTs = Number.MAX_SAFE_INTEGER): Promise<void> {
    const { jobRun } = this.database.client;
    const message = RUN_REASONS['process_ended'] ?? null;
    const dead = { outcome: 'running', heartbeatTs: { lt: BigInt(silentSinceTs) } };
    for (const { id, heartbeatTs, startedTs } of await jobRun.findMany({ where: dead })) {
      const finishedTs = heartbeatTs ?? startedTs;
      const durationMs = Number(finishedTs - startedTs);
      const data = { outcome: 'failed', finishedTs, durationMs, message };
      await jobRun.updateMany({ where: { id, outcome: 'running' }, data });
    }
  }

  /** Those of the given runs that are there, in no order. */
  async find(ids: readonly number[]): Promise<JobRun[]> {
    const rows = await this.database.client.jobRun.findMany({ where: { id: { in: [...ids] } } });
    return rows.map(toRun);
  }

  /** Runs under way, of all instances. */
  async listRunning(): Promise<JobRun[]> {
    const rows = await this.database.client.jobRun.findMany({
      where: { outcome: 'running' },
      orderBy: { id: 'desc' },
      take: 100,
    });
    return rows.map(toRun);
  }

  /** The latest run of each of several jobs. */
  async latest(jobs: readonly string[]): Promise<JobRun[]> {
    const rows = await this.database.client.jobRun.groupBy({
      by: 'job',
      where: { job: { in: [...jobs] } },
      _max: { id: true },
    });
    return this.find(rows.flatMap(({ _max }) => (_max.id === null ? [] : [_max.id])));
  }
}

/** Which runs of one job; `outcome` null: all. */
export interface RunFilter {
  job: string;
  outcome: RunOutcome | null;
}

/** Runs of a job for operators, newest first. */
export type JobRunList = RecordList<RunFilter, number, JobRun>;

export function createJobRunList(database: Database, store: JobRunStore): JobRunList {
  return new RecordList(database, {
    listing: ({ job, outcome }) => ({
      ...newestFirst('jobRun'),
      indexed: [{ job }],
      residual: outcome === null ? [] : [{ outcome }],
      refinements: [],
    }),
    find: (ids) => store.find(ids),
    keyOf: ({ id }) => id,
  });
}

const causeOf = enumColumn(JOB_CAUSES, 'job');
const outcomeOf = enumColumn(RUN_OUTCOMES, 'failed');

function countsOf(column: unknown): RunCounts {
  if (!isRecord(column)) return {};
  const named = Object.entries(column).flatMap(([name, count]) =>
    typeof count === 'number' ? [[name, count]] : [],
  );
  return Object.fromEntries(named);
}

function toRun(row: JobRunRow): JobRun {
  const { id, job, actor, durationMs, progress, instance } = row;
  const isEnding = row.outcome === 'running' && row.cancelTs !== null;
  return {
    id,
    job,
    actor,
    durationMs,
    progress,
    instance,
    cause: causeOf(row.cause),
    startedTs: Number(row.startedTs),
    finishedTs: row.finishedTs === null ? null : Number(row.finishedTs),
    outcome: outcomeOf(row.outcome),
    counts: countsOf(row.counts),
    bytes: Number(row.bytes),
    message: row.message ?? (isEnding ? 'An operator cancelled it; it ends after the current batch.' : null),
  };
}
