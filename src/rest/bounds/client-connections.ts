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
 * always one for somebody new. Behind a proxy all come from one address: only the total counts there.
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
    const { maxConnections, maxConnectionsPerClient } = this.limits;
    const address = socket.remoteAddress ?? '';
    const free = maxConnections - this.#open;
    if (free <= 0) return this.#refuse(socket, 'connections');
    if (isProxied) this.#count(socket, null);
    else {
      const client = clientAsker(address, '').key;
      const held = this.#byClient.get(client) ?? 0;
      if (held >= maxConnectionsPerClient) return this.#refuse(socket, 'client_connections');
      if (held >= free) return this.#refuse(socket, 'connections');
      this.#count(socket, client);
    }
    return true;
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
