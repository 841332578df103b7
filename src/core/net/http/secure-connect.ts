import { X509Certificate } from 'node:crypto';
import type net from 'node:net';
import tls from 'node:tls';
import { Duplex } from 'node:stream';

import { abortable, type Deadline } from '../../base/deadline.js';
import { KEY_EXCHANGE } from '../../base/runtime/key-exchange.js';
import { EventLoopQueue } from '../../base/limits/event-loop-queue.js';
import { isIpLiteral, addressGroup } from '../address/ip-address.js';
import { outboundError, toOutboundError } from '../../base/errors/outbound-error.js';
import { failOnClose } from './guarded-connect.js';

/** What a peer may send until the handshake is over, mostly its certificates, and afterwards beside content. */
const MAX_HANDSHAKE_BYTES = 32 * 1024;

/** Whom to trust, the same for all connections of one client. */
export interface TrustOptions {
  /** PEM certificates that replace the built-in authorities; null keeps those. */
  ca: readonly string[] | null;
  /** Told of each peer that sent more. */
  onLargeHandshake?: ((tlsName: string) => void) | undefined;
}

/** What `TrustOptions` say, ready for use; `handshakes`: those of all its connections. */
export type Trust = ReturnType<typeof createTrust>;

/** Compiled once: loading the authorities costs milliseconds. */
export function createTrust({ ca, onLargeHandshake }: TrustOptions) {
  const context = tls.createSecureContext({
    ca: ca === null ? undefined : [...ca],
    minVersion: 'TLSv1.2',
    ...KEY_EXCHANGE,
  });
  return { context, handshakes: new EventLoopQueue(), onLargeHandshake };
}

/** How one connection is secured. */
export interface SecureOptions {
  trust: Trust;
  /** DNS name or IP address (without brackets) that the certificate must be for; a name is also sent as SNI. */
  tlsName: string;
  deadline: Deadline;
}

/** RFC 6066 §3: SNI carries neither a final dot nor an address. */
const plainName = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();

/** A connection whose peer has proved to be the one asked for. */
export interface SecureConnection {
  socket: tls.TLSSocket;
  /** The leaf, as shown in this handshake. */
  certificate: tls.PeerCertificate;
}

interface OpenConnection extends SecureConnection {
  /** What TLS runs over. */
  plain: net.Socket;
}

/** The connection that one answer left open, for the next request of the same work to the very same server. */
export class KeptConnection {
  #held: { open: OpenConnection; to: string } | null = null;

  /** `to`: host, port, and the name of the certificate. Returns whether it is held from now on. */
  hold(open: OpenConnection, to: string): boolean {
    if (open.socket.writable) this.#held = { open, to };
    return open.socket.writable;
  }

  /** The connection if it leads there; any other is closed, and without `to` every one. */
  take(to?: string): OpenConnection | null {
    const held = this.#held;
    this.#held = null;
    if (held === null) return null;
    if (held.to === to && held.open.socket.writable) return held.open;
    held.open.plain.destroy();
    return null;
  }
}

/**
 * TLS over a connected socket: chain and name are verified on this very handshake, with no session resumed.
 * The socket is destroyed on failure.
 * @throws ApiError with a `tls_…` reason (`tls_too_large` for more bytes than a handshake may have), `connection_reset`
 * or `timeout_connect`.
 */
export async function secureConnection(
  socket: net.Socket,
  options: SecureOptions,
): Promise<SecureConnection> {
  const { tlsName, deadline, trust } = options;
  return abortable<SecureConnection>(deadline, (resolve, reject) => {
    const counted = new HandshakeStream(socket, trust.handshakes);
    const { secure, shown } = startTls(counted, options);
    // Node reads the whole chain for the check of the name, for ten times the work; only the leaf is looked at.
    Object.assign(secure, { getPeerCertificate: secure.getPeerCertificate.bind(secure, false) });
    const fail = (error: unknown): void => {
      secure.destroy();
      socket.destroy();
      const failure = toOutboundError(error, 'tls_failure');
      if (failure.reason === 'tls_too_large') trust.onLargeHandshake?.(tlsName);
      reject(failure);
    };
    secure.on('error', fail);
    const isOpen = failOnClose(secure, fail, ['connection_reset', `${tlsName}: closed during TLS handshake`]);
    secure.once('secureConnect', () => {
      isOpen();
      counted.established(() => secure.bytesRead, secure.getProtocol() === 'TLSv1.3');
      const certificate = shown();
      if (secure.authorized && certificate !== null) resolve({ socket: secure, certificate });
      else fail(outboundError('tls_wrong_name', `certificate is not for ${tlsName}`));
    });
    return () => fail(deadline.error('timeout_connect', `${tlsName}: TLS handshake`));
  });
}

/**
 * Begins a handshake. `shown`: the certificate that was checked in it; null when it is not for the name, and when the
 * session was resumed, because then Node leaves the check out.
 */
function startTls(socket: HandshakeStream, { trust, tlsName }: SecureOptions) {
  const isAddress = isIpLiteral(tlsName);
  const name = isAddress ? tlsName : plainName(tlsName);
  let shown: tls.PeerCertificate | null = null;
  const secure = tls.connect({
    socket,
    secureContext: trust.context,
    servername: isAddress ? '' : name,
    host: name,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
    checkServerIdentity: (_, certificate) => {
      // Node calls this from the handshake itself, where an exception would end the process.
      try {
        // Node 22.23 finds no IPv6 address in any certificate, so that addresses are checked by OpenSSL alone.
        const refusal = isAddress ? undefined : tls.checkServerIdentity(name, certificate);
        if (refusal === undefined && isCertifiedFor(certificate, name)) shown = certificate;
        return refusal;
      } catch (error) {
        return outboundError('tls_failure', `${tlsName}: certificate cannot be read`, error);
      }
    },
  });
  return { secure, shown: () => shown };
}

/**
 * Stricter than Node's own check, which for one takes wildcards for a part of a label: the whole name, or a wildcard for
 * its first label. Where the certificate does not say so plainly, OpenSSL is asked, which takes 100 µs to read it anew:
 * not from `getPeerX509Certificate`, which never gives back the memory of the other certificates of the chain.
 */
function isCertifiedFor({ subjectaltname = '', raw }: tls.PeerCertificate, name: string): boolean {
  if (!isIpLiteral(name)) {
    const plain = subjectaltname.includes('"') ? [] : subjectaltname.toLowerCase().split(', ');
    const wildcard = `*${name.slice(name.indexOf('.'))}`;
    if (plain.includes(`dns:${name}`) || plain.includes(`dns:${wildcard}`)) return true;
  }
  const certificate = new X509Certificate(raw);
  if (isIpLiteral(name)) return certificate.checkIP(name) !== undefined;
  return certificate.checkHost(name, { subject: 'never', partialWildcards: false }) !== undefined;
}

/** The largest record of TLS (RFC 8446 §5.2), of which there may be a part. */
const RECORD_BYTES = 17 * 1024;

const LONGEST_CORK_MS = 5;

/**
 * A connected socket as TLS sees it: what the peer sends is counted before TLS gets it. Certificates take thirty times
 * their bytes once they are parsed, and a peer that stops in the middle keeps that memory for as long as we wait;
 * OpenSSL's own limit (100 kB of certificates) cannot be lowered from Node. They take a fifth of a millisecond each, too,
 * so that handshakes are queued by the address of the peer. Once the handshake is over, further ones,
 * tickets and the frames of records may be as many bytes again, and as many as there are of content: they cost the
 * event loop up to 50 ms a megabyte, and no reader of the content sees them. Destroying either destroys both;
 * too many bytes are an ApiError `tls_too_large`.
 */
class HandshakeStream extends Duplex {
  readonly #socket: net.Socket;
  #receivedBytes = 0;
  /** What TLS has made of them; `null` while there is no content. */
  #contentBytes: (() => number) | null = null;
  #waitsForTurn = false;
  /** Ends the wait for the request. */
  #corked: NodeJS.Timeout | undefined;
  /** What came behind the chunk that waits. */
  readonly #behind: (() => void)[] = [];

  constructor(
    socket: net.Socket,
    private readonly handshakes: EventLoopQueue,
  ) {
    super();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    socket.once('end', () => this.#afterTurn(() => this.push(null)));
    socket.on('error', (error) => this.#afterTurn(() => this.destroy(error)));
    socket.on('close', () => this.#afterTurn(() => this.destroy()));
  }

  /** From now on there is content, so many bytes of it so far. `isOurTurn`: we still have to end the handshake. */
  established(contentBytes: () => number, isOurTurn: boolean): void {
    this.#contentBytes = contentBytes;
    this.#receivedBytes = this.readableLength;
    if (!isOurTurn) return;
    // The end of the handshake goes out in one packet with the request, which follows it at once.
    this.#socket.cork();
    this.#corked = setTimeout(() => this.#uncork(), LONGEST_CORK_MS);
  }

  #uncork(): void {
    clearTimeout(this.#corked);
    this.#corked = undefined;
    this.#socket.uncork();
  }

  #received(chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    if (this.#isTooMuch(chunk))
      this.destroy(outboundError('tls_too_large', 'too much data outside of the content'));
    else if (this.#contentBytes === null) this.#takeTurn(chunk);
    else this.#pass(chunk);
  }

  #takeTurn(chunk: Buffer): void {
    this.#waitsForTurn = true;
    const client = addressGroup(this.#socket.remoteAddress ?? '');
    // A certificate is read once its last byte is there.
    this.handshakes.run({ client, bytes: this.#receivedBytes }, () => {
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
    if (this.#contentBytes === null) return this.#receivedBytes > MAX_HANDSHAKE_BYTES;
    // What TLS has not read yet may be content.
    const readBytes = this.#receivedBytes - latest.length - this.readableLength;
    return readBytes - 2 * this.#contentBytes() > MAX_HANDSHAKE_BYTES + RECORD_BYTES;
  }

  override _read(): void {
    if (!this.#waitsForTurn) this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const isSecond = this.#corked !== undefined && this.#socket.writableLength > 0;
    this.#socket.write(chunk);
    if (isSecond) this.#uncork();
    // At once, so that more can be written while the socket is corked. It is never more than our own requests.
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#corked);
    this.#socket.destroy();
    done(error);
  }
}
