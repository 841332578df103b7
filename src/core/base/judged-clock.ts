import { DAY_MS, type Clock } from './clock.js';
import type { Logger } from './logger.js';

/** What is known beside the clock. */
export interface KnownTimes {
  /** When this program was made, POSIX ms. */
  programTs: number;
  /** When something of ours was last signed while the clock was possible; `null`: that is not known. */
  signedTs: number | null;
}

const YEAR_MS = 365 * DAY_MS;
/** The clock of the machine that made the program may itself have been wrong. */
const TOLERANCE_MS = 2 * YEAR_MS;
/** A program that is used for longer is told from a clock that is wrong by when it last signed. */
const USUAL_USE_MS = 3 * YEAR_MS;
/** Of a program that has not signed yet: it is seldom begun with so late. */
const LATEST_BEGIN_MS = 10 * YEAR_MS;

/**
 * What is wrong with a clock that is years off, as one sentence; `null` for one that may be right. What is signed by
 * such a clock is expired, or valid for years.
 */
export function clockError(nowTs: number, { programTs, signedTs }: KnownTimes): string | null {
  const shown = new Date(nowTs).toISOString().slice(0, 10);
  if (nowTs < programTs - TOLERANCE_MS)
    return `The clock of this machine says ${shown}, years before this program was made.`;
  const ageMs = nowTs - programTs;
  if (signedTs === null ? ageMs > LATEST_BEGIN_MS : ageMs > USUAL_USE_MS && nowTs > signedTs + TOLERANCE_MS)
    return `The clock of this machine says ${shown}, many years after this program was made${
      signedTs === null ? '' : ' and years after it last signed its key record'
    }.`;
  return null;
}

export interface JudgedClockOptions extends KnownTimes {
  clock: Clock;
  logger: Logger;
}

/** The clock, asked whether it may be right before anything is signed that states a time. */
export class JudgedClock {
  #signedTs: number | null;
  #isWrong = false;

  constructor(private readonly options: JudgedClockOptions) {
    this.#signedTs = options.signedTs;
  }

  /** What is wrong with it now, as a sentence; `null`: it may be right. */
  get error(): string | null {
    const { clock, programTs, logger } = this.options;
    const nowTs = clock.now();
    const error = clockError(nowTs, { programTs, signedTs: this.#signedTs });
    if (error === null) this.#signedTs = Math.max(nowTs, this.#signedTs ?? nowTs);
    if (this.#isWrong === (error !== null)) return error;
    this.#isWrong = error !== null;
    if (error === null) logger.info('the clock is plausible again');
    else logger.error(`${error} Nothing is signed that states the time until it is right`);
    return error;
  }
}
