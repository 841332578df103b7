import { SECOND_MS } from '../../base/clock.js';

/** After the last record that came. */
const QUIET_MS = 2 * SECOND_MS;
/** After the first one, or from the beginning when some were known. */
const OTHERS_MS = 4 * SECOND_MS;

/** How long one query waits for its fetches (SPEC §4.4.10): a silent server does not hold up what the others sent. */
export class QueryWait {
  /** Resolves to nothing when the waiting is over. */
  readonly over: Promise<undefined>;
  isOver = false;
  #resolve: (nothing: undefined) => void = () => {};
  #untilMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** `hasOthers`: some of the servers are answered from the store. */
  constructor(
    limitMs: number,
    private hasOthers: boolean,
  ) {
    this.over = new Promise((resolve) => (this.#resolve = resolve));
    this.#untilMs = performance.now() + (hasOthers ? Math.min(limitMs, OTHERS_MS) : limitMs);
    this.#endAt(this.#untilMs);
  }

  /** A fetch brought a record. */
  arrived(): void {
    const nowMs = performance.now();
    if (!this.hasOthers) this.#untilMs = Math.min(this.#untilMs, nowMs + OTHERS_MS);
    this.hasOthers = true;
    if (!this.isOver) this.#endAt(Math.min(this.#untilMs, nowMs + QUIET_MS));
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(undefined);
  }

  #endAt(atMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), Math.max(0, atMs - performance.now()));
  }
}
