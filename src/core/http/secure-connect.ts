import type net from 'node:net';
import tls from 'node:tls';

import { peerCertificate } from './connection-facts.js';
import type { Deadline } from './deadline.js';
import { abortable } from './deadline.js';
import { isIpLiteral } from './ip-address.js';
import { outboundError, toOutboundError } from './outbound-error.js';

/** Versions an operator may demand as the lowest. */
export type MinTlsVersion = 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';

/** Whom to trust, the same for all connections of one door. */
export interface TrustOptions {
  /** PEM certificates that replace the built-in authorities; null keeps those. */
  ca: readonly string[] | null;
  minTlsVersion: MinTlsVersion;
}

/** Compiled once: loading the authorities costs milliseconds. */
export function createTrust({ ca, minTlsVersion }: TrustOptions): tls.SecureContext {
  return tls.createSecureContext({
    ca: ca === null ? undefined : [...ca],
    minVersion: minTlsVersion,
  });
}

/** How one connection is secured. */
export interface SecureOptions {
  trust: tls.SecureContext;
  /** DNS name or IP address (without brackets) that the certificate must be for; a name is also sent as SNI. */
  tlsName: string;
  deadline: Deadline;
}

/** RFC 6066 §3: SNI carries neither a final dot nor an address. */
const plainName = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();

/**
 * TLS over a connected socket: chain and name are verified on this very handshake, with no session resumed.
 * The socket is destroyed on failure.
 * @throws ApiError with a `tls_…` reason, `connection_reset` or `timeout_connect`.
 */
export async function secureConnection(socket: net.Socket, options: SecureOptions): Promise<tls.TLSSocket> {
  const { trust, tlsName, deadline } = options;
  const isAddress = isIpLiteral(tlsName);
  return abortable<tls.TLSSocket>(deadline.signal, (resolve, reject) => {
    const secure = tls.connect({
      socket,
      secureContext: trust,
      servername: isAddress ? '' : plainName(tlsName),
      host: isAddress ? tlsName : plainName(tlsName),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    });
    const fail = (error: unknown): void => {
      secure.destroy();
      socket.destroy();
      reject(toOutboundError(error, 'tls_failure'));
    };
    secure.on('error', fail);
    secure.once('close', () =>
      fail(outboundError('connection_reset', `${tlsName}: closed during TLS handshake`)),
    );
    secure.once('secureConnect', () => {
      if (isCertifiedFor(secure, tlsName)) resolve(secure);
      else fail(outboundError('tls_wrong_name', `certificate is not for ${tlsName}`));
    });
    return () => fail(deadline.error('timeout_connect', `${tlsName}: TLS handshake`));
  });
}

/**
 * Node's own check accepts the subject's common name where no alternative name exists, and is skipped on a
 * resumed session; this one does neither.
 */
function isCertifiedFor(socket: tls.TLSSocket, tlsName: string): boolean {
  const certificate = peerCertificate(socket);
  if (certificate === null || !socket.authorized) return false;
  if (isIpLiteral(tlsName)) return certificate.checkIP(tlsName) !== undefined;
  return (
    certificate.checkHost(plainName(tlsName), { subject: 'never', partialWildcards: false }) !== undefined
  );
}
