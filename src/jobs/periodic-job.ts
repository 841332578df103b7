import type { Logger } from '../core/base/logger.js';

/** A piece of work that is due again and again. */
export interface PeriodicJobOptions {
  name: string;
  intervalMs: number;
  /** Time from the start to the first run; absent: `intervalMs`. */
  firstMs?: number | undefined;
  run(): Promise<void>;
  /** Whether operators have paused it; asked before each run. Absent: it cannot be paused. */
  isPaused?: () => Promise<boolean>;
  logger: Logger;
}

/** Runs a piece of work every `intervalMs`, never twice at once; a failure is logged and the next run is due. */
export class PeriodicJob {
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #lastMs = 0;

  constructor(private readonly options: PeriodicJobOptions) {}

  /** Time until it runs next, ms; `null` unless it has been started. */
  get dueInMs(): number | null {
    if (this.#timer === null) return null;
    return Math.max(0, this.#lastMs + this.options.intervalMs - performance.now());
  }

  start(): void {
    const { intervalMs, firstMs = intervalMs } = this.options;
    this.#lastMs = performance.now() - intervalMs + firstMs;
    this.#timer ??= setTimeout(() => {
      this.#timer = setInterval(() => void this.trigger(), intervalMs).unref();
      void this.trigger();
    }, firstMs).unref();
  }

  /** Runs now unless it is paused, or waits for the run under way. Never rejects. */
  trigger(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** No further runs; resolves when the one under way has ended. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#lastMs = performance.now();
    try {
      if (!(await this.#isPaused())) await this.options.run();
    } catch (error) {
      this.options.logger.error({ err: error, job: this.options.name }, 'job failed');
    }
  }

  /** When the store cannot say, the work finds that out itself and tells it once. */
  async #isPaused(): Promise<boolean> {
    try {
      return (await this.options.isPaused?.()) ?? false;
    } catch (error) {
      this.options.logger.debug({ err: error, job: this.options.name }, 'whether a job is paused is unknown');
      return false;
    }
  }
}
