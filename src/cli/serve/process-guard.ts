import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger } from '../../core/base/logger.js';
import { EXIT } from '../errors.js';
import type { LogOutput } from './log-output.js';

/** What is not closed by then is left to the next start, as after a crash. */
const CLOSE_TIMEOUT_MS = 5000;

/**
 * Ends the process when a rejection or an exception was handled by nobody: nobody knows what is left undone, and
 * whoever runs the service starts it anew. One fatal line says why, the store is closed within five seconds, the log is
 * written out, the exit code is 1.
 */
export class ProcessGuard {
  /** Closes what is open. */
  close: () => Promise<void> = () => Promise.resolve();
  #isEnding = false;
  readonly #onRejection = (error: unknown): void => this.#end('unhandled rejection', error);
  readonly #onException = (error: unknown): void => this.#end('uncaught exception', error);

  constructor(
    private readonly logger: Logger,
    private readonly output: LogOutput,
  ) {
    process.on('unhandledRejection', this.#onRejection);
    process.on('uncaughtException', this.#onException);
  }

  /** Gives both back to Node. */
  release(): void {
    process.off('unhandledRejection', this.#onRejection);
    process.off('uncaughtException', this.#onException);
  }

  #end(what: string, error: unknown): void {
    if (this.#isEnding) {
      this.logger.error({ err: error }, `${what} while ending`);
      return;
    }
    this.#isEnding = true;
    this.logger.fatal({ err: error }, what);
    this.output.flush();
    void this.#closeAndExit();
  }

  async #closeAndExit(): Promise<void> {
    try {
      const ended = await Promise.race([this.close().then(() => true), sleep(CLOSE_TIMEOUT_MS, false)]);
      this.logger.info(ended ? 'closed after a failure' : 'could not close everything after a failure');
    } catch (error) {
      this.logger.error({ err: error }, 'could not close everything after a failure');
    }
    this.output.flush();
    process.exit(EXIT.failed);
  }
}
