import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** What a client has sent by then it could send before it knew that nobody reads. */
const LINGER_MS = 1000;

/**
 * Connections whose last word has been said. Closed at once, the system would reset one on which anything still comes,
 * and a reset takes the answer away from a client that has not read it (RFC 9112 §9.6). So we end our side alone, and
 * drop what comes until the client ends his or a second is over. Until then it counts as an open connection.
 */
export class LingeringConnections {
  readonly #sockets = new Set<Duplex>();

  get count(): number {
    return this.#sockets.size;
  }

  /** From now on Node closes this connection so, too, when it has written a last answer. */
  watch(socket: Socket): void {
    socket.destroySoon = () => this.close(socket);
  }

  /** Ends our side when all has been written, then the connection. */
  close(socket: Duplex): void {
    if (socket.destroyed || this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    let timer: NodeJS.Timeout | undefined;
    socket.once('close', () => {
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
