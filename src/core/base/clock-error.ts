import { DAY_MS } from './clock.js';

/** The clock of the machine that made the program may itself have been wrong. */
const TOLERANCE_MS = 2 * 365 * DAY_MS;
/** A program is seldom run for longer after it was made; a clock beyond is years off. */
const LONGEST_USE_MS = 10 * 365 * DAY_MS;

/**
 * What is wrong with a clock that is years off, as one sentence; `null` for one that may be right. `programTs` is when
 * the program was made. What is signed by such a clock is expired, or valid for years.
 */
export function clockError(nowTs: number, programTs: number): string | null {
  const shown = new Date(nowTs).toISOString().slice(0, 10);
  if (nowTs < programTs - TOLERANCE_MS) {
    return `The clock of this machine says ${shown}, years before this program was made.`;
  }
  if (nowTs > programTs + LONGEST_USE_MS) {
    return `The clock of this machine says ${shown}, many years after this program was made.`;
  }
  return null;
}
