import { SECOND_MS } from '../../base/clock.js';

export interface LogLoopOptions {
  /** Resolves to whether another run is due. Never rejects. */
  run(): Promise<boolean>;
  /** Runs without being woken, where other instances queue entries, too; `null`: never. */
  pollMs: number | null;
}

/** At most one checkpoint a second, however many records come. */
const PAUSE_MS = SECOND_MS;

/** Runs the sequencer when there is something to do, never twice at once. */
export class LogLoop {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #isWoken = false;
  #isStopped = false;
  #endedMs = -Infinity;

  constructor(private readonly options: LogLoopOptions) {}

  /** Runs now, or as soon as the last run is a second ago. */
  wake(): void {
    this.#isWoken = true;
    if (this.#running === null) this.#schedule(Math.max(0, this.#endedMs + PAUSE_MS - performance.now()));
  }

  /** No further runs; resolves when the current one has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    const run = (): void => {
      this.#running = this.#run();
    };
    if (!this.#isStopped) this.#timer = setTimeout(run, ms).unref();
  }

  async #run(): Promise<void> {
    this.#isWoken = false;
    const isDue = await this.options.run();
    this.#endedMs = performance.now();
    this.#running = null;
    const pauseMs = isDue || this.#isWoken ? PAUSE_MS : this.options.pollMs;
    if (pauseMs !== null) this.#schedule(pauseMs);
  }
}
