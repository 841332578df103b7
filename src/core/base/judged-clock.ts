import { DAY_MS, type Clock } from './clock.js';
import type { Logger } from './logger.js';

const YEAR_MS = 365 * DAY_MS;
/** The clock of the machine that made the program may itself have been wrong. */
const TOLERANCE_MS = 2 * YEAR_MS;
const LONGEST_USE_MS = 20 * YEAR_MS;

/**
 * What is wrong with a clock that is years off from when this program was made, as one sentence; `null` for one that may
 * be right. Records signed by such a clock are expired, or valid for years.
 */
export function clockError(nowTs: number, programTs: number): string | null {
  const shown = new Date(nowTs).toISOString().slice(0, 10);
  if (nowTs < programTs - TOLERANCE_MS)
    return `The clock of this machine says ${shown}, years before this program was built.`;
  if (nowTs > programTs + LONGEST_USE_MS)
    return `The clock of this machine says ${shown}, many years after this program was built.`;
  return null;
}

/** What is wrong with the clock now, for what is signed and states a time; a change goes into the log. */
export function judgedClock(parts: { clock: Clock; programTs: number; logger: Logger }): () => string | null {
  const { clock, programTs, logger } = parts;
  let isWrong = false;
  return () => {
    const error = clockError(clock.now(), programTs);
    if (isWrong === (error !== null)) return error;
    isWrong = error !== null;
    if (error === null) logger.info('the clock is plausible again');
    else logger.error(`${error} Nothing that states a time is signed until the clock is right`);
    return error;
  };
}
