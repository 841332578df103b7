/** What started a run: its time had come, or an operator asked for it. */
export const JOB_CAUSES = ['job', 'operator'] as const;
export type JobCause = (typeof JOB_CAUSES)[number];

/** How a run stands, or ended. */
export const RUN_OUTCOMES = ['running', 'ok', 'failed', 'skipped', 'cancelled'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** Numbers by name: what a run did. */
export type RunCounts = Readonly<Record<string, number>>;

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
  durationMs: number;
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
  durationMs: number;
}

/** Why a run did not do all its work, in words. */
export const RUN_REASONS: Readonly<Record<string, string>> = {
  cancelled: 'An operator ended it before it was done.',
  stopping: 'The service was stopped before it was done.',
  running_elsewhere: 'Another instance is running this job.',
  process_ended: 'The process that ran it ended before it was done.',
  migrations_incomplete: 'Database migrations are incomplete; nothing is deleted until they are done.',
  clock_jumped: 'The clock was set by more than an hour; the next run decides anew.',
};

/** A reason as a sentence for operators; texts that are no key of `RUN_REASONS` stay as they are. */
export function reasonSentence(reason: string | null): string | null {
  return reason === null ? null : (RUN_REASONS[reason] ?? reason);
}
