import type { Logger } from '../core/base/logger.js';

/** A piece of work that is due again and again. */
export interface PeriodicJobOptions {
  name: string;
  intervalMs: number;
  /** Time from the start to the first run; absent: `intervalMs`. */
  firstMs?: number | undefined;
  run(): Promise<void>;
  logger: Logger;
}

/** Runs a piece of work every `intervalMs`, never twice at once; a failure is logged and the next run is due. */
export class PeriodicJob {
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #nextMs = 0;

  constructor(private readonly options: PeriodicJobOptions) {}

  /** Time until it runs next, ms; `null` unless it has been started. */
  get dueInMs(): number | null {
    return this.#timer === null ? null : Math.max(0, this.#nextMs - performance.now());
  }

  start(): void {
    const { intervalMs, firstMs = intervalMs } = this.options;
    this.#schedule(firstMs);
  }

  /** Runs now, or waits for the run under way. Never rejects. */
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

  #schedule(inMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#nextMs = performance.now() + inMs;
    this.#timer = setTimeout(() => {
      this.#schedule(this.options.intervalMs);
      void this.trigger();
    }, inMs).unref();
  }

  async #run(): Promise<void> {
    const { name, logger } = this.options;
    try {
      await this.options.run();
    } catch (error) {
      logger.error({ err: error, job: name }, 'job failed');
    }
  }
}
