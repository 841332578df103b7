import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { TokenBuckets } from '../../core/base/limits/rate-limit.js';
import { addressClient, addressGroup } from '../../core/net/address/ip-address.js';
import { MINUTE_MS, type Clock } from '../../core/base/clock.js';

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
    socket.on('close', () => (this.#open -= 1));
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

  /**
   * Resets the newest of the client that holds the most, if that is more than twice what the newcomer would have with
   * one more, and more than is spared.
   */
  #takeFromGreediest(newcomerHolds: number): boolean {
    let greediest: Set<Held> | null = null;
    let most = Math.max(2 * (newcomerHolds + 1), this.maxConnections * SPARED_SHARE);
    for (const held of this.#byClient.values()) if (held.size > most) [greediest, most] = [held, held.size];
    const latest = greediest === null ? undefined : [...greediest].at(-1);
    if (latest === undefined) return false;
    greediest?.delete(latest);
    reset(latest.socket);
    return true;
  }

  #hold(client: string, entry: Held, owner: Socket | ServerResponse): void {
    const own = this.#byClient.get(client) ?? new Set();
    this.#byClient.set(client, own.add(entry));
    owner.on('close', () => {
      own.delete(entry);
      if (own.size === 0 && this.#byClient.get(client) === own) this.#byClient.delete(client);
    });
  }
}

/** What a client has sent by then it could send before it knew that nobody reads. */
const LINGER_MS = 1000;

/**
 * Connections whose last word has been said. Closed at once, the system would reset one on which anything still comes,
 * and a reset takes the answer away from a client that has not read it (RFC 9112 §9.6). So we end our side alone, and
 * drop what comes until the client ends his or a second is over. Until then it counts as an open connection.
 */
export class LingeringConnections {
  readonly #sockets = new Set<Duplex>();

  /** From now on Node closes this connection so, too, when it has written a last answer. */
  watch(socket: Socket): void {
    socket.destroySoon = () => this.close(socket);
  }

  /** Ends our side when all has been written, then the connection. */
  close(socket: Duplex): void {
    if (socket.destroyed || this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    let timer: NodeJS.Timeout | undefined;
    socket.on('close', () => {
      clearTimeout(timer);
      this.#sockets.delete(socket);
    });
    // The parser of requests hears no more of them.
    socket.removeAllListeners('data');
    socket.on('data', () => undefined);
    socket.resume();
    socket.end(() => {
      if (!socket.destroyed) timer = setTimeout(() => socket.destroy(), LINGER_MS);
    });
  }
}

/** A client has to read 1 KiB a second, measured over a minute. */
const STALL_MS = MINUTE_MS;
const LEAST_BYTES = 60 * 1024;

/** Since when something has waited for its client all the time, and how far it was then. */
interface Progress {
  takenBytes: number;
  sinceTs: number;
}

/**
 * Resets connections whose client reads next to nothing of what waits for it. Looking at all connections now and then
 * costs less than a timer for each answer; Node's own time limit starts anew with each byte that the client sends.
 */
export class StalledWriters {
  readonly #watched = new Map<Socket, Progress | null>();

  constructor(
    private readonly clock: Clock,
    private readonly bounds: ReachedClientBounds,
  ) {}

  watch(socket: Socket): void {
    this.#watched.set(socket, null);
    socket.on('close', () => this.#watched.delete(socket));
  }

  /** Looks at all of them; to be called now and then. */
  look(): void {
    const nowTs = this.clock.now();
    for (const [socket, before] of this.#watched) {
      // The end of a TLS connection is written, too, and counts as no byte of what waits.
      const isEnding = socket.writableEnded && !socket.writableFinished;
      if (socket.writableLength === 0 && !isEnding) {
        if (before !== null) this.#watched.set(socket, null);
        continue;
      }
      if (before !== null && nowTs - before.sinceTs < STALL_MS) continue;
      const takenBytes = bytesTaken(socket);
      this.#watched.set(socket, { takenBytes, sinceTs: nowTs });
      if (before === null || takenBytes - before.takenBytes >= LEAST_BYTES) continue;
      this.bounds.note('stalled', { client: socket.remoteAddress, unsent_bytes: socket.writableLength });
      reset(socket);
    }
  }
}

/** Bytes that the kernel has taken, those of the write under way too. */
function bytesTaken(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null) return 0;
  const [begun, left] = [Reflect.get(handle, 'bytesWritten'), Reflect.get(handle, 'writeQueueSize')];
  return typeof begun === 'number' && typeof left === 'number' ? begun - left : 0;
}

/** Lets the kernel drop what it holds as well, where Node can. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** 1,000 lines at once and 100 a second for one client, ten times as many for all. */
const OF_CLIENT = { burst: 1000, intervalMs: 10 };
const OF_ALL = { burst: 10_000, intervalMs: 1 };

/** What a line is about: a request, or its use of a deprecated form; neither takes the other's lines. */
type RequestLine = 'request' | 'deprecation';

/** Limits the lines of the log about requests: a line is five times as long as a small request and could fill a disk. */
export class RequestLines {
  readonly #buckets: Record<RequestLine, { ofClient: TokenBuckets; ofAll: TokenBuckets }>;

  constructor(
    clock: Clock,
    private readonly bounds: ReachedClientBounds,
  ) {
    const nowMs = (): number => clock.now();
    const buckets = () => ({
      ofClient: new TokenBuckets(OF_CLIENT, nowMs),
      ofAll: new TokenBuckets(OF_ALL, nowMs),
    });
    this.#buckets = { request: buckets(), deprecation: buckets() };
  }

  /** Whether this client gets a line. Nobody may have more than are left, so that others get one. */
  admit(address: string, kind: RequestLine = 'request'): boolean {
    const client = addressGroup(address);
    const { ofClient, ofAll } = this.#buckets[kind];
    const left = ofClient.left(client);
    if (left < 1 || OF_CLIENT.burst - left >= ofAll.left('')) {
      this.bounds.note('request_lines', { client: address });
      return false;
    }
    ofClient.spend(client);
    ofAll.spend('');
    return true;
  }
}

/** Of one connection. Node reads as many as one packet holds. */
const MAX_WAITING = 100;

/**
 * Requests that came on a connection before earlier ones were answered (RFC 9112 §9.3.2). Each starts when its answer
 * may be written, so that a connection never holds more than one answer.
 */
export class RequestPipeline {
  readonly #waiting = new WeakMap<Socket, number>();

  constructor(private readonly bounds: ReachedClientBounds) {}

  /** Calls `serve` when all before it have been answered; resets the connection when too many wait. */
  wait(response: ServerResponse, serve: () => void): void {
    const { socket } = response.req;
    if (socket.destroyed) return;
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    if (waiting > MAX_WAITING) {
      this.bounds.note('pipelined', { client: socket.remoteAddress });
      reset(socket);
      return;
    }
    this.#waiting.set(socket, waiting);
    response.once('socket', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      serve();
    });
  }
}
