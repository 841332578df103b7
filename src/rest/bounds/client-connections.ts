import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { addressClient } from '../../core/net/address/ip-address.js';
import { reset } from './stalled-writers.js';

const MAX_PER_CLIENT = 1024;
/** Of all connections: who holds no more loses none to newcomers, however many addresses these come from. */
const SPARED_SHARE = 1 / 64;

/** A connection, or a request of a proxy. */
type Held = { socket: Socket };

/**
 * Connections of all listeners. No client may hold more than are free; when none is left, the newest of the client with
 * the most is reset, so that a new client is always served. Behind a proxy all come from one address: there a client
 * holds a connection while its request is under way.
 */
export class ClientConnections {
  readonly #byClient = new Map<string, Set<Held>>();
  #open = 0;

  constructor(
    private readonly maxConnections: number,
    private readonly bounds: ReachedClientBounds,
  ) {}

  /** Connections open now. */
  get open(): number {
    return this.#open;
  }

  /** Takes a place until the connection is closed; one for which there is none is reset, and `false` returned. */
  admit(socket: Socket, isProxied: boolean): boolean {
    const client = isProxied ? '' : addressClient(socket.remoteAddress ?? '');
    const free = this.maxConnections - this.#open;
    if (!this.#hasRoom(client, { free, address: socket.remoteAddress })) {
      socket.resetAndDestroy();
      return false;
    }
    this.#open += 1;
    socket.once('close', () => (this.#open -= 1));
    // Below TLS nobody else listens, and resetting it may fail.
    socket.on('error', () => undefined);
    if (!isProxied) this.#hold(client, { socket }, socket);
    return true;
  }

  /** Gives the connection of a proxy to the client of this request until it is answered; `false` when he has too many. */
  admitRequest(response: ServerResponse, address: string): boolean {
    const client = addressClient(address);
    const free = this.maxConnections - this.#open + 1;
    if (!this.#hasRoom(client, { free, address })) return false;
    this.#hold(client, response.req, response);
    return true;
  }

  /** Makes room where it may; what it cannot is told. */
  #hasRoom(client: string, { free, address }: { free: number; address: string | undefined }): boolean {
    const held = this.#byClient.get(client)?.size ?? 0;
    const isFull = held >= MAX_PER_CLIENT;
    if (!isFull && held < free) return true;
    const bound = isFull ? 'client_connections' : 'connections';
    this.bounds.note(bound, { client: address, connections: this.#open });
    return !isFull && this.#takeFromGreediest(held);
  }

  #takeFromGreediest(newcomerHolds: number): boolean {
    const counts = Array.from(this.#byClient, ([key, { size }]) => [key, size] as const);
    const sparedCount = this.maxConnections * SPARED_SHARE;
    const held = this.#byClient.get(greediestOf(counts, newcomerHolds, sparedCount) ?? '');
    const latest = held === undefined ? undefined : [...held].at(-1);
    if (latest === undefined) return false;
    held?.delete(latest);
    reset(latest.socket);
    return true;
  }

  /** Until the owner is closed. */
  #hold(client: string, entry: Held, owner: Socket | ServerResponse): void {
    const own = this.#byClient.get(client) ?? new Set();
    this.#byClient.set(client, own.add(entry));
    owner.once('close', () => {
      own.delete(entry);
      if (own.size === 0 && this.#byClient.get(client) === own) this.#byClient.delete(client);
    });
  }
}

/**
 * The client that holds the most, if that is more than twice what the newcomer would have with one more; else `null`.
 * A client that holds no more than `sparedCount` keeps what it has.
 */
function greediestOf(
  held: Iterable<readonly [string, number]>,
  newcomerHolds: number,
  sparedCount: number,
): string | null {
  let [greediest, most]: [string | null, number] = [null, Math.max(2 * (newcomerHolds + 1), sparedCount)];
  for (const [key, count] of held) if (count > most) [greediest, most] = [key, count];
  return greediest;
}
