import { SECOND_MS } from '../../base/clock.js';
import { unavailable } from '../../base/errors/api-error.js';
import type { JudgedClock } from '../../base/judged-clock.js';
import type { Logger } from '../../base/logger.js';
import { OWN_NAME_UNSETTLED, type SharedNameAnswer } from './shared-name.js';

export interface OwnNameOptions {
  /** What the start was told by who may have our name. */
  told: SharedNameAnswer;
  /** Asks again. Rejects when the store is away. */
  ask: (signal: AbortSignal) => Promise<SharedNameAnswer>;
  /** What our own record states the time by. */
  judgedClock: Pick<JudgedClock, 'error'>;
  logger: Logger;
}

/** Why our own record is withheld, as a sentence without its end, and what to do about it. */
export interface Objection {
  why: string;
  advice: string;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
const CLOCK_ADVICE =
  'Run a time service such as chrony; the record is published once the clock is possible. If it is right, install a ' +
  'newer version.';

/**
 * Whether a record of ours may be published under our name. Until who may have the name, too, has said so none is: it
 * may have other keys, and starts in its own time. Nor is one while the clock cannot be right. Both are looked at again
 * and again.
 */
export class OwnName {
  #told: SharedNameAnswer;
  #isPublished = false;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  readonly #closed = new AbortController();

  constructor(private readonly options: OwnNameOptions) {
    this.#told = options.told;
  }

  /** Why nothing is published under it; `null`: our record is. */
  get objection(): Objection | null {
    const { error, silence, advice } = this.#told;
    const clockError = this.options.judgedClock.error;
    if (clockError !== null) return { why: clockError.slice(0, -1), advice: CLOCK_ADVICE };
    if (error !== null) return { why: error, advice: 'Correct what is named here and start again.' };
    return this.#isPublished ? null : { why: silence ?? 'It is about to be published', advice };
  }

  /** Whether nothing speaks against a first record of ours. */
  get isOurs(): boolean {
    const { error, mayTell } = this.#told;
    return error === null && !mayTell && this.isTimed;
  }

  /** Whether the clock may be right, by which keys are made and retired. */
  get isTimed(): boolean {
    return this.options.judgedClock.error === null;
  }

  /** Throws 503 while nothing is published under it. */
  require(): void {
    if (this.objection === null) return;
    if (!this.isTimed) {
      const message = 'Nothing is signed until the clock of this server is right';
      throw unavailable('clock_wrong', message, { retryAfterSeconds: 30 });
    }
    const message = 'No keys are published under this name until it is known whose it is';
    throw unavailable(OWN_NAME_UNSETTLED, message, {
      retryAfterSeconds: Math.ceil(this.#pauseMs / SECOND_MS),
    });
  }

  /** A record of our keys is published under it, or was before: to withhold it now would protect nobody. */
  trust(): void {
    this.#isPublished = true;
  }

  /** Asks until it is ours; `publish` is through before anything is answered under the name. */
  start(publish: () => Promise<void>): void {
    const isSettled = this.#isPublished && !this.#told.mayTell;
    if (isSettled || this.#closed.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#askAgain(publish), this.#pauseMs).unref();
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  async #askAgain(publish: () => Promise<void>): Promise<void> {
    const { logger } = this.options;
    const { signal } = this.#closed;
    if (this.#told.mayTell && this.isTimed) await this.#ask(signal);
    const { error } = this.#told;
    if (signal.aborted) return;
    if (error !== null) {
      logger.error({ setting: 'signing_key_path' }, error);
      return;
    }
    if (this.isOurs && (await this.#publish(publish))) return;
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs);
    this.start(publish);
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { ask, logger } = this.options;
    try {
      this.#told = await ask(signal);
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, 'it could not be asked whose our name is');
    }
  }

  async #publish(publish: () => Promise<void>): Promise<boolean> {
    const { logger } = this.options;
    try {
      await publish();
      this.#isPublished = true;
      logger.info('the name is ours; our own key record is published');
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'own key record could not be stored');
      return false;
    }
  }
}
