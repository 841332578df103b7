import type { ServerResponse } from 'node:http';

import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { reset } from './stalled-writers.js';

/** Half of server.max_unsent_size and of …_per_client; the other half is for large answers. */
export interface UnsentLimits {
  maxBytes: number;
  maxBytesPerClient: number;
}

interface Held {
  response: ServerResponse;
  bytes: number;
}

/**
 * Answers of which something waits in memory for its client. Above a bound, the oldest of this client, or of the client that
 * holds the most, is given up: its connection is reset.
 */
export class UnsentBytes {
  readonly #byClient = new Map<string, { bytes: number; held: Set<Held> }>();
  #bytes = 0;

  constructor(
    private readonly limits: UnsentLimits,
    private readonly bounds: ReachedClientBounds,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts what is left of an answer until it is over or its connection is closed: by default what has been written of
   * it. The function returned is told of what the connection has taken before.
   */
  hold(
    response: ServerResponse,
    client: string,
    bytes = response.writableLength,
  ): (takenBytes: number) => void {
    const entry = { response, bytes };
    const own = this.#byClient.get(client) ?? { bytes: 0, held: new Set() };
    this.#byClient.set(client, own);
    own.held.add(entry);
    own.bytes += entry.bytes;
    this.#bytes += entry.bytes;
    response.once('close', () => this.#release(client, entry));
    if (own.bytes > this.limits.maxBytesPerClient) this.#giveUp(client, 'client_unsent');
    else if (this.#bytes > this.limits.maxBytes) this.#giveUp(this.#largestHolder(client), 'unsent');
    return (takenBytes) => {
      if (!own.held.has(entry)) return;
      entry.bytes -= takenBytes;
      own.bytes -= takenBytes;
      this.#bytes -= takenBytes;
    };
  }

  #giveUp(client: string, bound: 'unsent' | 'client_unsent'): void {
    const [oldest] = this.#byClient.get(client)?.held ?? [];
    if (oldest === undefined) return;
    this.bounds.note(bound, { client, unsent_bytes: this.#bytes });
    this.#release(client, oldest);
    reset(oldest.response.req.socket);
  }

  #release(client: string, entry: Held): void {
    const own = this.#byClient.get(client);
    if (own?.held.delete(entry) !== true) return;
    own.bytes -= entry.bytes;
    this.#bytes -= entry.bytes;
    if (own.held.size === 0) this.#byClient.delete(client);
  }

  #largestHolder(client: string): string {
    let largest = { client, bytes: 0 };
    for (const [other, { bytes }] of this.#byClient) {
      if (bytes > largest.bytes) largest = { client: other, bytes };
    }
    return largest.client;
  }
}
