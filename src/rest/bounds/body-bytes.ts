import type { ServerResponse } from 'node:http';

import { addCount } from '../../core/base/add-count.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';

/** Settings server.max_body_memory and …_per_client. */
export interface BodyLimits {
  maxBytes: number;
  maxBytesPerClient: number;
}

/** What a piece of a body takes at least, however short it is. */
const LEAST_BYTES = 512;

/**
 * Bodies of requests in memory, from their first piece until their answers are gone. As of connections, nobody may
 * hold more than is free, so that there is always room for somebody new.
 */
export class BodyBytes {
  readonly #byClient = new Map<string, number>();
  #bytes = 0;

  constructor(
    private readonly limits: BodyLimits,
    private readonly bounds: ReachedClientBounds,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** Opens the account of one body; what it gives takes a piece more, and says whether there is room for it. */
  open(response: ServerResponse, client: string): (pieceBytes: number) => boolean {
    let taken = 0;
    response.once('close', () => {
      this.#add(client, -taken);
      taken = 0;
    });
    return (pieceBytes) => {
      const bytes = Math.max(pieceBytes, LEAST_BYTES);
      if (response.closed || !this.#hasRoom(client, bytes)) return false;
      taken += bytes;
      this.#add(client, bytes);
      return true;
    };
  }

  #hasRoom(client: string, bytes: number): boolean {
    const { maxBytes, maxBytesPerClient } = this.limits;
    const held = (this.#byClient.get(client) ?? 0) + bytes;
    if (held > maxBytesPerClient) return this.#refuse('client_bodies', client);
    return held <= maxBytes - this.#bytes || this.#refuse('bodies', client);
  }

  #refuse(bound: 'bodies' | 'client_bodies', client: string): false {
    this.bounds.note(bound, { client, body_bytes: this.#bytes });
    return false;
  }

  #add(client: string, bytes: number): void {
    this.#bytes += bytes;
    addCount(this.#byClient, client, bytes);
  }
}
