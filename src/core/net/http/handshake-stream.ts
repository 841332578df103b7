import type net from 'node:net';
import { Duplex } from 'node:stream';

import { outboundError } from '../../base/errors/outbound-error.js';
import type { EventLoopQueue } from '../../base/limits/event-loop-queue.js';
import { addressGroup } from '../address/address-client.js';

/** The largest record of TLS (RFC 8446 §5.2), of which there may be a part. */
const RECORD_BYTES = 17 * 1024;

/** How much of a handshake is taken, and when. */
export interface HandshakeLimits {
  maxHandshakeBytes: number;
  turns: EventLoopQueue;
}

/**
 * A connected socket as TLS sees it: what the peer sends is counted before TLS gets it. Certificates take thirty times
 * their bytes once they are parsed, and a peer that stops in the middle keeps that memory for as long as we wait;
 * OpenSSL's own limit (100 kB of certificates) cannot be lowered from Node. They take a fifth of a millisecond each, too,
 * so that handshakes take turns by the address of the peer. Once the handshake is over, further ones,
 * tickets and the frames of records may be as many bytes again, and as many as there are of content: they cost the
 * event loop up to 50 ms a megabyte, and whoever reads the content never sees them. Destroying either destroys both;
 * too many bytes are an ApiError `tls_too_large`.
 */
export class HandshakeStream extends Duplex {
  readonly #socket: net.Socket;
  #receivedBytes = 0;
  /** What TLS has made of them; `null` while there is no content. */
  #contentBytes: (() => number) | null = null;
  #waitsForTurn = false;
  /** What came behind the chunk that waits. */
  readonly #behind: (() => void)[] = [];

  constructor(
    socket: net.Socket,
    private readonly limits: HandshakeLimits,
  ) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    socket.once('end', () => this.#afterTurn(() => this.push(null)));
    socket.on('error', (error) => this.#afterTurn(() => this.destroy(error)));
    socket.once('close', () => this.#afterTurn(() => this.destroy()));
  }

  /** From now on there is content, so many bytes of it so far. */
  established(contentBytes: () => number): void {
    this.#contentBytes = contentBytes;
    this.#receivedBytes = this.readableLength;
  }

  #received(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    if (this.#isTooMuch(chunk)) this.destroy(outboundError('tls_too_large', 'too much sent beside content'));
    else if (this.#contentBytes === null) this.#takeTurn(chunk);
    else this.#pass(chunk);
  }

  #takeTurn(chunk: Buffer): void {
    this.#waitsForTurn = true;
    const from = addressGroup(this.#socket.remoteAddress ?? '');
    // A certificate is read once its last byte is there.
    this.limits.turns.run({ client: from, from, bytes: this.#receivedBytes }, () => {
      this.#waitsForTurn = false;
      if (this.destroyed) return;
      this.#socket.resume();
      this.#pass(chunk);
      for (const then of this.#behind.splice(0)) process.nextTick(then);
    });
    if (this.#waitsForTurn) this.#socket.pause();
  }

  /** The end must not overtake a chunk: it may be the alert that says why. */
  #afterTurn(then: () => void): void {
    if (this.#waitsForTurn) this.#behind.push(then);
    else then();
  }

  #pass(chunk: Buffer): void {
    if (!this.push(chunk)) this.#socket.pause();
  }

  #isTooMuch(latest: Buffer): boolean {
    const { maxHandshakeBytes } = this.limits;
    if (this.#contentBytes === null) return this.#receivedBytes > maxHandshakeBytes;
    // What TLS has not read yet may be content.
    const readBytes = this.#receivedBytes - latest.length - this.readableLength;
    return readBytes - 2 * this.#contentBytes() > maxHandshakeBytes + RECORD_BYTES;
  }

  override _read(): void {
    if (!this.#waitsForTurn) this.#socket.resume();
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
