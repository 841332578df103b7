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
  #timer: NodeJS.Timeout | null = null;
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
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(ms: number): void {
    if (this.#isStopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#running = this.#run();
    }, ms).unref();
  }

  async #run(): Promise<void> {
    this.#isWoken = false;
    const isDue = await this.options.run();
    this.#endedMs = performance.now();
    this.#running = null;
    const { pollMs } = this.options;
    if (isDue || this.#isWoken) this.#schedule(PAUSE_MS);
    else if (pollMs !== null) this.#schedule(pollMs);
  }
}
