import type { Clock } from '../../src/core/base/clock.js';

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  constructor(private nowTs = 1_800_000_000_000) {}

  now(): number {
    return this.nowTs;
  }

  /** Moves the clock; negative values set it back. */
  advance(ms: number): void {
    this.nowTs += ms;
  }
}
