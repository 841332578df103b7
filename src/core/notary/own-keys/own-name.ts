import { SECOND_MS } from '../../base/clock.js';
import { ownNameUnsettled } from '../../base/errors/api-error.js';
import type { Logger } from '../../base/logger.js';
import type { SharedNameAnswer } from './shared-name.js';

export interface OwnNameOptions {
  /** What the homeserver told the start. */
  told: SharedNameAnswer;
  /** Asks it again. Never rejects. */
  ask: () => Promise<SharedNameAnswer>;
  logger: Logger;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;

/**
 * Whether our name is ours to publish keys under. Until a homeserver beside us has said so nothing is: it may have the
 * same name and other keys, and starts in its own time. It is asked again and again until it tells.
 */
export class OwnName {
  #told: SharedNameAnswer;
  #wasPublished = false;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: OwnNameOptions) {
    this.#told = options.told;
  }

  /** Why nothing is published under it, in a sentence; `null`: it is ours. */
  get objection(): string | null {
    const { error, silence, mayTell } = this.#told;
    if (!mayTell || this.#wasPublished) return error;
    return `The homeserver has not said whether it publishes keys under our name: ${silence ?? ''}`;
  }

  /** Throws 503 while it is not known to be ours, and for good once it is known to be another's. */
  require(): void {
    if (this.objection !== null) throw ownNameUnsettled(Math.ceil(this.#pauseMs / SECOND_MS));
  }

  /** A record of our keys has been published under it before: to withhold it now would protect nobody. */
  trust(): void {
    this.#wasPublished = true;
  }

  /** Asks until the homeserver tells; `publish` is through before anything is answered under the name. */
  start(publish: () => Promise<void>): void {
    if (!this.#told.mayTell || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#askAgain(publish), this.#pauseMs).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #askAgain(publish: () => Promise<void>): Promise<void> {
    const { ask, logger } = this.options;
    const told = await ask();
    const { error, mayTell } = told;
    if (error !== null) {
      this.#told = told;
      logger.error({ setting: 'signing_key_path' }, error);
      return;
    }
    const isPublished = !mayTell && (await this.#publish(publish));
    if (isPublished) {
      this.#told = told;
      logger.info('the name is ours; our own key record is published');
    } else {
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs);
      this.start(publish);
    }
  }

  async #publish(publish: () => Promise<void>): Promise<boolean> {
    try {
      await publish();
      return true;
    } catch (error) {
      this.options.logger.warn({ err: error }, 'own key record could not be stored');
      return false;
    }
  }
}
