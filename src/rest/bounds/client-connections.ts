import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { addCount } from '../../core/base/places/add-count.js';
import type { ReachedClientBounds } from '../../core/base/places/reached-bounds.js';
import { clientAsker } from '../../core/net/address/client-asker.js';

/** How many connections there may be at once; settings server.max_connections and …_per_client. */
export interface ConnectionLimits {
  maxConnections: number;
  maxConnectionsPerClient: number;
}

/**
 * Places for connections of clients, of all listeners together. Nobody may hold more than are free, so that there is
 * always one for somebody new. Behind a proxy all come from one address: there a connection is held by whoever has a
 * request under way on it, and by nobody in between.
 */
export class ClientConnections {
  readonly #byClient = new Map<string, number>();
  #open = 0;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly bounds: ReachedClientBounds,
  ) {}

  /** Connections open now. */
  get open(): number {
    return this.#open;
  }

  /** Takes a place until the connection is closed; one for which there is none is reset, and `false` returned. */
  admit(socket: Socket, isProxied: boolean): boolean {
    const free = this.limits.maxConnections - this.#open;
    if (free <= 0) return this.#refuse(socket, 'connections');
    const client = isProxied ? null : clientAsker(socket.remoteAddress ?? '', '').key;
    const bound = client === null ? null : this.#boundOf(client, free);
    if (bound !== null) return this.#refuse(socket, bound);
    this.#count(socket, client);
    return true;
  }

  /** Gives the connection of a proxy to the client of this request until it is answered; `false` when he has too many. */
  admitRequest(response: ServerResponse, address: string): boolean {
    const client = clientAsker(address, '').key;
    const bound = this.#boundOf(client, this.limits.maxConnections - this.#open + 1);
    if (bound !== null) {
      this.bounds.note(bound, { client: address, connections: this.#open });
      return false;
    }
    addCount(this.#byClient, client, 1);
    response.once('close', () => addCount(this.#byClient, client, -1));
    return true;
  }

  /** What one more would go beyond. */
  #boundOf(client: string, free: number): 'connections' | 'client_connections' | null {
    const held = this.#byClient.get(client) ?? 0;
    if (held >= this.limits.maxConnectionsPerClient) return 'client_connections';
    return held >= free ? 'connections' : null;
  }

  #refuse(socket: Socket, bound: 'connections' | 'client_connections'): false {
    this.bounds.note(bound, { client: socket.remoteAddress, connections: this.#open });
    socket.resetAndDestroy();
    return false;
  }

  #count(socket: Socket, client: string | null): void {
    this.#open += 1;
    if (client !== null) addCount(this.#byClient, client, 1);
    socket.once('close', () => {
      this.#open -= 1;
      if (client !== null) addCount(this.#byClient, client, -1);
    });
  }
}
