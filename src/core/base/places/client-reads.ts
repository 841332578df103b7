import { Deadline } from '../deadline.js';
import type { Asker } from './asker.js';
import { FairPlaces } from './fair-places.js';

export interface ClientReadsOptions {
  /** At once; half of them for one client, and a quarter of them for clients who have few alone. */
  maxReads: number;
  /** Half of them of one client. */
  maxWaiting: number;
  /** The error for what is not read. */
  full: (detail: string) => Error;
  /** Told of each that finds no room to wait. */
  onFull: (details: Readonly<Record<string, unknown>>) => void;
}

const MAX_WAIT_MS = 5000;

/** What anybody can have the store asked takes turns by client, so that connections to it are left for all else. */
export class ClientReads {
  readonly #places: FairPlaces;

  constructor({ maxReads, maxWaiting, full, onFull }: ClientReadsOptions) {
    const reserved = Math.ceil(maxReads / 4);
    this.#places = new FairPlaces({
      maxRunning: maxReads - reserved,
      maxRunningPerGroup: Math.ceil(maxReads / 2),
      reserved,
      maxWaiting,
      maxWaitingPerGroup: Math.ceil(maxWaiting / 2),
      full,
      givenUp: (_signal, client) => full(`${client}: others had their turn first`),
      // Waiting for one's turn is nothing to tell of.
      onBound: (bound, client) => {
        if (bound === 'waiting') onFull({ client, ...this.#places.load });
      },
    });
  }

  /**
   * Reads when the asker's turn has come (those without one count as one); `onLeft` is handed what gives it up. Rejects with the error of the options
   * when too many wait already, or after five seconds.
   */
  async read<T>(
    asker: Asker | undefined,
    find: () => Promise<T>,
    onLeft: (giveUp: () => void) => void = () => undefined,
  ): Promise<T> {
    const deadline = new Deadline(MAX_WAIT_MS);
    onLeft(() => deadline.cancel());
    const leave = await this.#places
      .enter({ asker, group: asker?.key ?? '' }, deadline.signal)
      .finally(() => deadline.close());
    try {
      return await find();
    } finally {
      leave();
    }
  }
}
