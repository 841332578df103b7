import { HOUR_MS } from '../../base/clock.js';

/** Notices when the clock is set: it then moves differently from the time that really passes. */
export class ClockWatch {
  #last: { nowTs: number; monotonicMs: number } | null = null;

  /** `monotonicMs` never jumps; tests replace it. */
  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  /** How far the clock jumped since the last look, ms; 0 for jumps up to an hour and at the first look. */
  jumpMs(nowTs: number): number {
    const monotonicMs = this.monotonicMs();
    const last = this.#last;
    this.#last = { nowTs, monotonicMs };
    if (last === null) return 0;
    const jumpMs = Math.round(nowTs - last.nowTs - (monotonicMs - last.monotonicMs));
    return Math.abs(jumpMs) > HOUR_MS ? jumpMs : 0;
  }
}
