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
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: OwnNameOptions) {
    this.#told = options.told;
  }

  /** Why nothing is published under it, in a sentence; `null`: it is ours. */
  get objection(): string | null {
    const { error, silence, mayTell } = this.#told;
    if (!mayTell) return error;
    return `The homeserver has not said whether it publishes keys under our name: ${silence ?? ''}`;
  }

  /** Throws 503 while it is not known to be ours, and for good once it is known to be another's. */
  require(): void {
    if (this.objection !== null) throw ownNameUnsettled(Math.ceil(this.#pauseMs / SECOND_MS));
  }

  /** Asks until the homeserver tells. */
  start(): void {
    if (!this.#told.mayTell || this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#askAgain(), this.#pauseMs).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #askAgain(): Promise<void> {
    this.#told = await this.options.ask();
    const { error, mayTell } = this.#told;
    const { logger } = this.options;
    if (mayTell) {
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs);
      this.start();
    } else if (error === null) logger.info('the homeserver has told; our own key record is published');
    else logger.error({ setting: 'signing_key_path' }, error);
  }
}
