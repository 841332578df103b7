import { Deadline } from '../../core/base/deadline.js';
import { logBusy } from '../../core/base/errors/api-error.js';
import type { Asker } from '../../core/base/places/asker.js';
import { FairPlaces } from '../../core/base/places/fair-places.js';
import type { ReachedClientBounds } from '../../core/base/places/reached-bounds.js';
import type { Exchange } from '../request-exchange.js';

/** Settings log.max_reads and log.max_waiting_reads. */
export interface LogReadLimits {
  maxReads: number;
  maxWaiting: number;
}

const MAX_WAIT_MS = 5000;

/** What the store is asked about the log (proofs, records, tiles) takes turns by client. */
export class LogReads {
  readonly #places: FairPlaces;

  constructor({ maxReads, maxWaiting }: LogReadLimits, bounds: ReachedClientBounds) {
    this.#places = new FairPlaces({
      maxRunning: maxReads,
      maxRunningPerGroup: Math.ceil(maxReads / 2),
      reserved: Math.ceil(maxReads / 4),
      maxWaiting,
      maxWaitingPerGroup: Math.ceil(maxWaiting / 2),
      full: logBusy,
      givenUp: (_signal, client) => logBusy(`${client}: others had their turn first`),
      // Waiting for one's turn is nothing to tell of.
      onBound: (bound, client) => {
        if (bound === 'waiting') bounds.note('log_reads', { client, ...this.#places.load });
      },
    });
  }

  /** Reads when the asker's turn has come. Rejects with 503 when too many wait already, or after five seconds. */
  async read<T>({ response }: Exchange, asker: Asker, find: () => Promise<T>): Promise<T> {
    const deadline = new Deadline(MAX_WAIT_MS);
    response.once('close', () => deadline.cancel());
    const leave = await this.#places
      .enter({ asker, group: asker.key }, deadline.signal)
      .finally(() => deadline.close());
    try {
      return await find();
    } finally {
      leave();
    }
  }
}
