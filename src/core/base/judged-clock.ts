import type { Clock } from './clock.js';
import { clockError, type KnownTimes } from './clock-error.js';
import type { Logger } from './logger.js';

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
    if (error === null) logger.info('the clock is possible again');
    else logger.error(`${error} Nothing is signed that states the time until it is right`);
    return error;
  }
}
