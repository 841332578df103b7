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

/** The clock, checked before anything is signed that states a time. */
export class JudgedClock {
  #isWrong = false;

  constructor(private readonly options: { clock: Clock; programTs: number; logger: Logger }) {}

  /** What is wrong with it now, as a sentence; `null`: it may be right. */
  get error(): string | null {
    const { clock, programTs, logger } = this.options;
    const error = clockError(clock.now(), programTs);
    if (this.#isWrong === (error !== null)) return error;
    this.#isWrong = error !== null;
    if (error === null) logger.info('the clock is plausible again');
    else logger.error(`${error} Nothing that states a time is signed until the clock is right`);
    return error;
  }
}
