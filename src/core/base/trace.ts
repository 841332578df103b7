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

/** Receives steps as they end, and hears of those that take a while as they begin. */
export interface Trace {
  begin?(name: string): void;
  step(step: TraceStep): void;
}

/** A step with the time it began, in ms since the work began. */
export interface TimedStep extends TraceStep {
  startedAtMs: number;
}

/** Sees steps while the work goes on; times are ms since it began. */
export interface TraceWatch {
  /** Steps that take no time only end. The next step that begins or ends follows this one. */
  began?(name: string, startedAtMs: number): void;
  ended?(step: TimedStep): void;
}

/**
 * Collects steps for people: each with the time it began, and told to `watch`. Steps are kept when they end, so one
 * began its duration earlier, though never before the work itself.
 */
export class TimedTrace implements Trace {
  readonly steps: TimedStep[] = [];
  readonly #beganMs = performance.now();

  /** `describe` adds what people read to each step. */
  constructor(
    private readonly watch: TraceWatch = {},
    private readonly describe: (step: TimedStep) => TimedStep = (step) => step,
  ) {}

  /** Time since the work began, in whole ms. */
  elapsedMs(): number {
    return Math.round(performance.now() - this.#beganMs);
  }

  begin(name: string): void {
    this.watch.began?.(name, this.elapsedMs());
  }

  step(step: TraceStep): void {
    const ms = Math.round(step.ms);
    const timed = this.describe({ ...step, ms, startedAtMs: Math.max(0, this.elapsedMs() - ms) });
    this.steps.push(timed);
    this.watch.ended?.(timed);
  }
}
