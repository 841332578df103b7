import { ApiError } from '../base/errors/api-error.js';
import type { RunCounts, RunProgress } from './run-progress.js';
import { explainStoreError, isStoreError } from '../store/store-errors.js';

/** What started a run: its time had come, or an operator asked for it. */
export const JOB_CAUSES = ['job', 'operator'] as const;
export type JobCause = (typeof JOB_CAUSES)[number];

/** How a run stands, or ended. */
export const RUN_OUTCOMES = ['running', 'ok', 'failed', 'skipped', 'cancelled'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** One run of a job; a row of job_run. */
export interface JobRun {
  id: number;
  job: string;
  cause: JobCause;
  /** Name of the operator who asked for it; `null` for the others. */
  actor: string | null;
  startedTs: number;
  /** `null` while it runs. */
  finishedTs: number | null;
  outcome: RunOutcome;
  /** 0 to 1; `null` when not known. */
  progress: number | null;
  counts: RunCounts;
  /** Bytes freed on disk. */
  bytes: number;
  /** One sentence: why it failed, was skipped or cancelled; `null` when all went well. */
  message: string | null;
  /** Instance that runs it. */
  instance: string;
}

/** What became of a run, as its caller sees it. */
export interface RunReport {
  outcome: Exclude<RunOutcome, 'running'>;
  /** Why it was skipped, cancelled (a key of `RUN_REASONS`) or failed (text); `null` when all went well. */
  reason: string | null;
  counts: RunCounts;
  bytes: number;
  startedTs: number;
}

/** How far a run is. */
export interface RunState {
  progress: number | null;
  counts: RunCounts;
  bytes: number;
}

/** The work of a run: it counts what it does in `progress`, and calls `progress.checkpoint()` between batches. */
export type RunWork = (progress: RunProgress, nowTs: number) => Promise<void>;

/** A job that is due now and then. */
export interface JobWork {
  job: string;
  work: RunWork;
  /** Whether there is anything to do; asked before runs that are due, since a run writes rows. Absent: always. */
  isDue?: (nowTs: number) => Promise<boolean>;
}

/** A run that goes on in the background. */
export interface StartedRun {
  run: JobRun;
  /** What became of it, when it is over. Never rejects. */
  finished: Promise<RunReport>;
}

/** Why a run did not do all its work, in words. */
export const RUN_REASONS: Readonly<Record<string, string>> = {
  cancelled: 'An operator cancelled it.',
  stopping: 'The server was stopped before it was finished.',
  running_elsewhere: 'Another instance is running this job.',
  process_ended: 'The process ended before it was finished.',
};

/** A reason as a sentence for operators; texts that are no key of `RUN_REASONS` stay as they are. */
export function reasonSentence(reason: string | null): string | null {
  return reason === null ? null : (RUN_REASONS[reason] ?? reason);
}

const UNKNOWN = 'It failed with an error; see the log.';

/**
 * Why work failed, as everybody who is signed in may read it: neither paths of this machine nor the database client's
 * account of our own code. The log has the whole error.
 */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (isStoreError(error)) return explainStoreError(error).error;
  if (!(error instanceof Error)) return UNKNOWN;
  // "EACCES: permission denied, scandir '/srv/media'": the path stands last.
  if ('syscall' in error && 'path' in error) return error.message.split(" '", 1)[0] ?? UNKNOWN;
  return error.name.startsWith('PrismaClient') || error.message.includes('\n') ? UNKNOWN : error.message;
}
