import { plainRow } from '../store/plain-row.js';
import { randomBytes } from 'node:crypto';

import { DAY_MS, MINUTE_MS, type Clock } from '../base/clock.js';
import { isRecord } from '../base/json/is-record.js';
import { storableText } from '../base/text/strings.js';
import type { Database, JobRunRow } from '../store/db.js';
import { enumColumn } from '../store/enum-column.js';
import { newestFirst } from '../store/lists/keyset-cursor.js';
import { RecordList } from '../store/lists/record-list.js';
import { createOnce } from '../store/store-errors.js';
import {
  RUN_REASONS,
  JOB_CAUSES,
  RUN_OUTCOMES,
  type JobRun,
  type RunOutcome,
  type RunState,
} from './job-run.js';
import type { RunCounts } from './run-progress.js';

export type JobPause = Awaited<ReturnType<JobStore['listPauses']>>[number];

/** Which runs of one job; `outcome` null: all. */
export interface RunFilter {
  job: string;
  outcome: RunOutcome | null;
}

/** Renewed every few seconds, so that it runs out only when its holder has died. */
const LEASE_MS = 2 * MINUTE_MS;
/** A lease that ends later than this was taken before the clock was set back. */
const TOO_FAR_MS = 5 * MINUTE_MS;
/** A run without a heartbeat for so long has died with its process. */
const SILENCE_MS = MINUTE_MS;
const RETENTION_MS = 7 * DAY_MS;

/**
 * The rows of jobs and of their runs. Of all processes with one database one at a time may run a job, and none while it
 * is paused.
 */
export class JobStore {
  readonly #holder = randomBytes(12).toString('hex');
  /** Runs of a job for operators, newest first. */
  readonly runs: RecordList<RunFilter, number, JobRun>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.runs = new RecordList(database, {
      listing: ({ job, outcome }) => ({
        ...newestFirst('jobRun'),
        conditions: [
          { where: { job }, servedBy: ['id'] },
          ...(outcome === null ? [] : [{ where: { outcome } }]),
        ],
      }),
      find: (ids) => this.findRuns(ids),
      keyOf: ({ id }) => id,
    });
  }

  get #jobs(): Database['client']['job'] {
    return this.database.client.job;
  }

  get #runs(): Database['client']['jobRun'] {
    return this.database.client.jobRun;
  }

  /** Takes the lease of a job. `false`: another process has it. */
  async takeLease(name: string): Promise<boolean> {
    const nowTs = this.clock.now();
    const isFree = [
      { holder: this.#holder },
      { leaseTs: { lt: BigInt(nowTs) } },
      { leaseTs: { gt: BigInt(nowTs + TOO_FAR_MS) } },
    ];
    await this.#createJob(name);
    const data = { holder: this.#holder, leaseTs: BigInt(nowTs + LEASE_MS) };
    return (await this.#jobs.updateMany({ where: { name, OR: isFree }, data })).count > 0;
  }

  /** `false`: another process has taken it, or it was given back. */
  async renewLease(name: string): Promise<boolean> {
    const where = { name, holder: this.#holder, leaseTs: { gt: 0n } };
    const data = { leaseTs: BigInt(this.clock.now() + LEASE_MS) };
    return (await this.#jobs.updateMany({ where, data })).count > 0;
  }

  async releaseLease(name: string): Promise<void> {
    await this.#jobs.updateMany({ where: { name, holder: this.#holder }, data: { leaseTs: 0n } });
  }

  async isPaused(name: string): Promise<boolean> {
    return (await this.#jobs.count({ where: { name, pausedTs: { not: null } } })) > 0;
  }

  async listPauses() {
    const rows = await this.#jobs.findMany({ where: { pausedTs: { not: null } } });
    return rows.map((row) => ({
      job: row.name,
      pausedTs: Number(row.pausedTs),
      pausedBy: row.pausedBy ?? '',
      reason: row.pauseReason ?? '',
    }));
  }

  /** Pauses a job; one that is paused already stays as it is. */
  async pause(name: string, { actor, reason }: { actor: string; reason: string }): Promise<void> {
    await this.#createJob(name);
    const pausedTs = BigInt(this.clock.now());
    const data = { pausedTs, pausedBy: actor, pauseReason: storableText(reason) };
    await this.#jobs.updateMany({ where: { name, pausedTs: null }, data });
  }

  async resume(name: string): Promise<void> {
    await this.#jobs.updateMany({ where: { name }, data: { pausedTs: null } });
  }

  /** Stores a run that is under way. */
  async createRun(run: Pick<JobRun, 'job' | 'cause' | 'actor' | 'instance'>): Promise<JobRun> {
    const startedTs = BigInt(this.clock.now());
    const data = { ...run, startedTs, heartbeatTs: startedTs, outcome: 'running', counts: {}, bytes: 0n };
    return toRun(await this.#runs.create({ data }));
  }

  /** Removes a run that did nothing. */
  async removeRun(id: number): Promise<void> {
    await this.#runs.deleteMany({ where: { id } });
  }

  /** A sign of life. Resolves to whether an operator asked to end the run; a row that is gone says no. */
  async heartbeat(id: number, { progress, counts, bytes }: RunState): Promise<boolean> {
    const heartbeatTs = BigInt(this.clock.now());
    const [row] = await this.#runs.updateManyAndReturn({
      where: { id, outcome: 'running' },
      data: { progress, counts: { ...counts }, bytes: BigInt(bytes), heartbeatTs },
      select: { cancelTs: true },
    });
    return row !== undefined && row.cancelTs !== null;
  }

  /** Stores the end of a run, and removes runs that are too old. */
  async finishRun(id: number, end: RunState & Pick<JobRun, 'outcome' | 'message'>): Promise<void> {
    const finishedTs = BigInt(this.clock.now());
    const data = { ...end, counts: { ...end.counts }, bytes: BigInt(end.bytes), finishedTs };
    await this.#runs.updateMany({ where: { id }, data });
    await this.#runs.deleteMany({ where: { startedTs: { lt: finishedTs - BigInt(RETENTION_MS) } } });
  }

  /** Asks the instance that runs it to end a run; it looks every few seconds. `false`: it is over already. */
  async requestCancel(id: number): Promise<boolean> {
    const data = { cancelTs: BigInt(this.clock.now()) };
    return (await this.#runs.updateMany({ where: { id, outcome: 'running' }, data })).count > 0;
  }

  /** Closes runs as failed whose processes have ended, at their last sign of life. Call before runs are shown. */
  async closeDead(silentSinceTs = this.clock.now() - SILENCE_MS): Promise<void> {
    const dead = { outcome: 'running', heartbeatTs: { lt: BigInt(silentSinceTs) } };
    const message = RUN_REASONS['process_ended'] ?? null;
    for (const { id, heartbeatTs: finishedTs } of await this.#runs.findMany({ where: dead }))
      await this.#runs.updateMany({
        where: { ...dead, id },
        data: { outcome: 'failed', finishedTs, message },
      });
  }

  /** For the only server of a database, at its start: all runs died with its last process. */
  async takeOver(): Promise<void> {
    await this.closeDead(Number.MAX_SAFE_INTEGER);
    await this.#jobs.updateMany({ data: { leaseTs: 0n } });
  }

  /** Those of the given runs that are there, in no order. */
  async findRuns(ids: readonly number[]): Promise<JobRun[]> {
    return (await this.#runs.findMany({ where: { id: { in: [...ids] } } })).map(toRun);
  }

  /** The latest run of each of several jobs; one that is under way is the latest. */
  async latestRuns(jobs: readonly string[]): Promise<JobRun[]> {
    const where = { job: { in: [...jobs] } };
    const rows = await this.#runs.groupBy({ by: 'job', where, _max: { id: true } });
    return this.findRuns(rows.flatMap(({ _max }) => _max.id ?? []));
  }

  async #createJob(name: string): Promise<void> {
    await createOnce(() => this.#jobs.upsert({ where: { name }, create: { name }, update: {} }));
  }
}

const causeOf = enumColumn(JOB_CAUSES, 'job');
const outcomeOf = enumColumn(RUN_OUTCOMES, 'failed');

function countsOf(column: unknown): RunCounts {
  const named = isRecord(column) ? Object.entries(column) : [];
  return Object.fromEntries(
    named.flatMap(([name, count]) => (typeof count === 'number' ? [[name, count]] : [])),
  );
}

function toRun({ cancelTs, ...row }: JobRunRow): JobRun {
  const isEnding = row.outcome === 'running' && cancelTs !== null;
  return {
    ...plainRow(row),
    cause: causeOf(row.cause),
    outcome: outcomeOf(row.outcome),
    counts: countsOf(row.counts),
    message: row.message ?? (isEnding ? 'An operator cancelled it; it ends after the current batch.' : null),
  };
}
