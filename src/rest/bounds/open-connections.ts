import type { Socket } from 'node:net';

/** Connections of one listener, and how far each had been read when its last request was answered. */
export class OpenConnections {
  readonly #bytesRead = new Map<Socket, number>();

  /** Knows a connection until it is closed. */
  add(socket: Socket): void {
    this.#bytesRead.set(socket, 0);
    socket.once('close', () => this.#bytesRead.delete(socket));
  }

  /** A request of it has been answered. */
  answered(socket: Socket): void {
    if (this.#bytesRead.has(socket)) this.#bytesRead.set(socket, socket.bytesRead);
  }

  /** Those without a request, or a part of one; `busy`: those whose request is not answered. */
  idle(busy: ReadonlySet<Socket>): Socket[] {
    return Array.from(this.#bytesRead)
      .filter(([socket, bytesRead]) => socket.bytesRead === bytesRead)
      .filter(([socket]) => !busy.has(socket) && !socket.writableEnded)
      .map(([socket]) => socket);
  }
}
