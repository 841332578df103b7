import type { Logger } from '../core/logger.js';

/** A piece of work that is due again and again. */
export interface PeriodicJobOptions {
  name: string;
  intervalMs: number;
  run(): Promise<void>;
  logger: Logger;
}

/** Runs a piece of work every `intervalMs`, never twice at once; a failure is logged and the next run is due. */
export class PeriodicJob {
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(private readonly options: PeriodicJobOptions) {}

  start(): void {
    this.#timer ??= setInterval(() => void this.trigger(), this.options.intervalMs).unref();
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
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.options.run();
    } catch (error) {
      this.options.logger.error({ err: error, job: this.options.name }, 'job failed');
    }
  }
}
