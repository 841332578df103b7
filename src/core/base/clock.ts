/** Source of the current time. Injected everywhere, so that tests decide what time it is. */
export interface Clock {
  /** Current time in POSIX milliseconds. */
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: Date.now };

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The clocks of instances are less apart; what lies further ahead of now comes from a clock that was set back. */
export const CLOCKS_APART_MS = 5 * MINUTE_MS;
