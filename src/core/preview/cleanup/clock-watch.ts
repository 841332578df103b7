import { HOUR_MS } from '../../base/clock.js';

/** Notices when the clock is set: it then moves differently from the time that really passes. */
export class ClockWatch {
  #last: { nowTs: number; monotonicMs: number } | null = null;

  /** `monotonicMs` never jumps; tests replace it. */
  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  /** How far the clock jumped since this was last called, ms; 0 for jumps up to an hour and at the first call. */
  jumpMs(nowTs: number): number {
    const jumpMs = this.jumpedMs(nowTs);
    this.#note(nowTs);
    return jumpMs;
  }

  /** The same, where a jump stays to be told by `jumpMs`. */
  jumpedMs(nowTs: number): number {
    const last = this.#last;
    const jumpMs =
      last === null ? 0 : Math.round(nowTs - last.nowTs - (this.monotonicMs() - last.monotonicMs));
    if (Math.abs(jumpMs) > HOUR_MS) return jumpMs;
    this.#note(nowTs);
    return 0;
  }

  #note(nowTs: number): void {
    this.#last = { nowTs, monotonicMs: this.monotonicMs() };
  }
}
