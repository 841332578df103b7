import type net from 'node:net';
import { Duplex } from 'node:stream';

import { outboundError } from '../../base/errors/outbound-error.js';

/**
 * A connected socket as TLS sees it: what the peer sends is counted before TLS gets it, until the handshake is
 * over. Certificates take thirty times their bytes once they are parsed, and a peer that stops in the middle keeps
 * that memory for as long as we wait; OpenSSL's own limit (100 kB of certificates) cannot be lowered from Node.
 * Destroying either destroys both; too many bytes are an ApiError `tls_too_large`.
 */
export class HandshakeStream extends Duplex {
  readonly #socket: net.Socket;
  #bytesLeft: number;

  constructor(socket: net.Socket, maxHandshakeBytes: number) {
    super();
    this.#socket = socket;
    this.#bytesLeft = maxHandshakeBytes;
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    socket.once('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  /** From now on nothing is counted: what follows has limits of its own. */
  established(): void {
    this.#bytesLeft = Infinity;
  }

  #received(chunk: Buffer): void {
    this.#bytesLeft -= chunk.length;
    if (this.#bytesLeft < 0)
      this.destroy(outboundError('tls_too_large', 'too much sent for a TLS handshake'));
    else if (!this.push(chunk)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
