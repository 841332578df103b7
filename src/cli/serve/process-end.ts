import { setTimeout as sleep } from 'node:timers/promises';

import type { Logger, LogOutput } from '../../core/base/logger.js';
import { EXIT } from '../terminal.js';

/** Unclosed resources are left to the next start, as after a crash. */
const CLOSE_TIMEOUT_MS = 5000;
/** Ctrl-C under npm arrives twice, from the terminal and passed on by npm; only a later signal is a second one. */
const SAME_SIGNAL_MS = 250;

/** Everything that ends a server process: signals, and errors that nothing handled. */
export class ProcessEnd {
  /** Resolves at the first signal; a second one ends the process at once. */
  readonly requested: Promise<NodeJS.Signals>;
  /** Closes everything that is open, after an unhandled error. */
  close: () => Promise<void> = () => Promise.resolve();
  #isFailing = false;
  readonly #listeners: Readonly<Record<string, (of: unknown) => void>>;

  constructor(
    private readonly logger: Logger,
    private readonly output: LogOutput,
  ) {
    let request: (signal: NodeJS.Signals) => void;
    this.requested = new Promise((resolve) => (request = resolve));
    let firstMs = Infinity;
    const onSignal = (signal: unknown): void => {
      if (firstMs === Infinity) firstMs = performance.now();
      if (performance.now() - firstMs < SAME_SIGNAL_MS)
        return request(signal === 'SIGINT' ? signal : 'SIGTERM');
      logger.warn({ signal }, 'second signal: ending at once');
      this.#exit();
    };
    this.#listeners = {
      SIGTERM: onSignal,
      SIGINT: onSignal,
      unhandledRejection: (error) => this.#fail('unhandled rejection', error),
      uncaughtException: (error) => this.#fail('uncaught exception', error),
    };
    for (const [event, listener] of Object.entries(this.#listeners)) process.on(event, listener);
  }

  release(): void {
    for (const [event, listener] of Object.entries(this.#listeners)) process.off(event, listener);
  }

  /** Nobody knows what is left undone: the process closes what it can and ends; the service manager starts it anew. */
  #fail(what: string, error: unknown): void {
    if (this.#isFailing) return this.logger.error({ err: error }, `${what} while ending`);
    this.#isFailing = true;
    this.logger.fatal({ err: error }, what);
    this.output.flush();
    const closed = this.close().then(
      () => this.logger.info('closed after a failure'),
      (reason: unknown) => this.logger.error({ err: reason }, 'could not close everything after a failure'),
    );
    void Promise.race([closed, sleep(CLOSE_TIMEOUT_MS)]).then(() => this.#exit());
  }

  #exit(): never {
    this.output.flush();
    process.exit(EXIT.failed);
  }
}
