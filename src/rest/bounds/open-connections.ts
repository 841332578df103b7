import type { Socket } from 'node:net';

/** A connection that has just been made has so long to ask. */
const FIRST_REQUEST_MS = 1000;

/** How far a connection was read when its last request was answered. */
interface Read {
  bytes: number;
  sinceMs: number;
}

/** Connections of one listener, and whether anything of a request has come on them since the last was answered. */
export class OpenConnections {
  readonly #read = new Map<Socket, Read>();

  /** Knows a connection until it is closed. */
  add(socket: Socket): void {
    this.#read.set(socket, { bytes: 0, sinceMs: performance.now() });
    socket.once('close', () => this.#read.delete(socket));
  }

  /** A request of it has been answered. */
  answered(socket: Socket): void {
    const read = this.#read.get(socket);
    if (read === undefined) return;
    read.bytes = socket.bytesRead;
    read.sinceMs = 0;
  }

  /** Those on which nobody asks; `busy`: those with a request under way. */
  idle(busy: ReadonlySet<Socket>): Socket[] {
    const latestMs = performance.now() - FIRST_REQUEST_MS;
    return this.#notBusy(busy)
      .filter(([socket, { bytes, sinceMs }]) => socket.bytesRead === bytes && sinceMs <= latestMs)
      .map(([socket]) => socket);
  }

  /** Those on which a part of a request has come. */
  unfinished(busy: ReadonlySet<Socket>): Socket[] {
    return this.#notBusy(busy)
      .filter(([socket, { bytes }]) => socket.bytesRead > bytes)
      .map(([socket]) => socket);
  }

  #notBusy(busy: ReadonlySet<Socket>): [Socket, Read][] {
    return [...this.#read].filter(([socket]) => !busy.has(socket) && !socket.writableEnded);
  }
}
