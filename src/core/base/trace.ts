/** How a step ended. `warning`: the work goes on, but something is not as it should be. */
export const STEP_STATUSES = ['ok', 'warning', 'failed', 'skipped'] as const;
export type StepStatus = (typeof STEP_STATUSES)[number];

/** One step of a piece of work, for operators: what was done, how it ended, or why it was not needed. */
export interface TraceStep {
  name: string;
  status: StepStatus;
  ms: number;
  /** One plain sentence. May name hosts and addresses: not for clients. */
  sentence: string;
  detail?: Record<string, string | number>;
  /** What the step is about, in a few words for people; absent: views have a title for each name. */
  title?: string;
  /** What the operator can do about it; for steps that failed or warn. */
  advice?: string;
}

/** Receives steps as they end. */
export interface Trace {
  step(step: TraceStep): void;
}

/** Drops every step; for work nobody watches. */
export const SILENT_TRACE: Trace = { step: () => undefined };

/** A step with the time it began, in ms since the work began. */
export interface TimedStep extends TraceStep {
  startedAtMs: number;
}

/**
 * Collects steps for people: each with the time it began, and told to `onStep` as it ends. Steps are told when they
 * end, so one began its duration earlier, though never before the work itself.
 */
export class TimedTrace implements Trace {
  readonly steps: TimedStep[] = [];
  readonly #beganMs: number;

  /** `monotonicNowMs` is a clock that never goes back, such as `performance.now`. */
  constructor(
    private readonly monotonicNowMs: () => number,
    private readonly onStep: (step: TimedStep) => void = () => undefined,
  ) {
    this.#beganMs = monotonicNowMs();
  }

  /** Time since the work began, in whole ms. */
  elapsedMs(): number {
    return Math.round(this.monotonicNowMs() - this.#beganMs);
  }

  step(step: TraceStep): void {
    const ms = Math.round(step.ms);
    const timed = { ...step, ms, startedAtMs: Math.max(0, this.elapsedMs() - ms) };
    this.steps.push(timed);
    this.onStep(timed);
  }
}
