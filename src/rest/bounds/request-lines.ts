import { addressGroup } from '../../core/net/address/client-asker.js';
import { addCount } from '../../core/base/places/add-count.js';
import type { ReachedClientBounds } from '../../core/base/places/reached-bounds.js';
import { SECOND_MS, type Clock } from '../../core/base/clock.js';

/** What it is built from. */
export interface RequestLinesOptions {
  clock: Clock;
  /** Setting log.max_request_lines. */
  maxPerClient: number;
  bounds: ReachedClientBounds;
  /** Told how many were left out, once their ten seconds are over and the next request comes. */
  onLeftOut: (more: number) => void;
}

const WINDOW_MS = 10 * SECOND_MS;
/** All clients together, in lines of one. */
const CLIENTS = 10;

/**
 * Lines of the log about requests: a small request makes a line five times as long, so that they could fill a disk.
 * So many for each client in ten seconds, and never more than are left of ten times as many for all.
 */
export class RequestLines {
  readonly #byClient = new Map<string, number>();
  #lines = 0;
  #leftOut = 0;
  #sinceTs = 0;

  constructor(private readonly options: RequestLinesOptions) {}

  /** Whether the request of this client gets a line; what gets none is counted. */
  admit(address: string): boolean {
    const client = addressGroup(address);
    const { clock, maxPerClient, bounds } = this.options;
    const nowTs = clock.now();
    if (Math.abs(nowTs - this.#sinceTs) >= WINDOW_MS) {
      this.#byClient.clear();
      if (this.#leftOut > 0) this.options.onLeftOut(this.#leftOut);
      this.#leftOut = 0;
      this.#lines = 0;
      this.#sinceTs = nowTs;
    }
    const own = this.#byClient.get(client) ?? 0;
    if (own >= Math.min(maxPerClient, CLIENTS * maxPerClient - this.#lines)) {
      this.#leftOut += 1;
      bounds.note('request_lines', { client: address });
      return false;
    }
    addCount(this.#byClient, client, 1);
    this.#lines += 1;
    return true;
  }
}
