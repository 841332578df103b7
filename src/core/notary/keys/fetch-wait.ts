import { SECOND_MS } from '../../base/clock.js';

/** After the last record that came. */
const QUIET_MS = 2 * SECOND_MS;
/** After the first one, or from the beginning when some were known. */
const OTHERS_MS = 4 * SECOND_MS;

/** How long one query waits for its fetches (SPEC §4.4.10): a silent server does not hold up what the others sent. */
export class FetchWait {
  /** Resolves when the waiting is over. */
  readonly over: Promise<void>;
  #end: () => void = () => {};
  #untilMs: number;
  #hasOthers: boolean;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  /** `hasOthers`: something to answer with is there already. */
  constructor(limitMs: number, { hasOthers }: { hasOthers: boolean }) {
    this.#hasOthers = hasOthers;
    const nowMs = performance.now();
    this.over = new Promise((resolve) => (this.#end = resolve));
    this.#untilMs = nowMs + Math.max(0, hasOthers ? Math.min(limitMs, OTHERS_MS) : limitMs);
    this.#wait(this.#untilMs, nowMs);
  }

  /** Whether the query has its answer, or gave up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A fetch brought a record. */
  arrived(): void {
    const nowMs = performance.now();
    if (!this.#hasOthers) this.#untilMs = Math.min(this.#untilMs, nowMs + OTHERS_MS);
    this.#hasOthers = true;
    this.#wait(Math.min(this.#untilMs, nowMs + QUIET_MS), nowMs);
  }

  /** Nothing is waited for any more. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #wait(untilMs: number, nowMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, untilMs - nowMs);
  }
}
