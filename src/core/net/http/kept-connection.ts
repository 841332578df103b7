import type { ConnectionFacts, SecureConnection } from './secure-connect.js';

/** A connection whose peer has proved to be the one asked for, and what was seen of it. */
export interface OpenConnection extends SecureConnection {
  facts: ConnectionFacts;
  close(): void;
}

/** Which server a connection leads to. */
export interface ConnectedServer {
  host: string;
  port: number;
  /** What its certificate was verified for. */
  tlsName: string;
}

/**
 * The connection that one answer left open for the next request of the same piece of work. Only a request to the very
 * same host and port, under the name its certificate was verified for, gets it: what would be checked anew has been
 * checked on this connection a moment ago.
 */
export class KeptConnection {
  #held: { server: ConnectedServer; connection: OpenConnection; isFree: boolean } | null = null;

  /** Holds a connection over which a request is about to be sent; one held before is closed. */
  hold(server: ConnectedServer, connection: OpenConnection): void {
    this.close();
    const held = { server, connection, isFree: false };
    this.#held = held;
    // Node says so once the answer has been read to its end, and the server did not want to close.
    connection.socket.once('free', () => {
      held.isFree = true;
    });
  }

  /** The connection, if it leads there and its answer is complete; one that does not is closed. */
  take({ host, port, tlsName }: ConnectedServer): OpenConnection | null {
    const held = this.#held;
    if (held === null) return null;
    const { server, connection, isFree } = held;
    const isSame = server.host === host && server.port === port && server.tlsName === tlsName;
    if (isSame && isFree && connection.socket.writable && connection.socket.readable) {
      this.#held = null;
      return connection;
    }
    this.close();
    return null;
  }

  /** Closes what is held. */
  close(): void {
    this.#held?.connection.close();
    this.#held = null;
  }
}
