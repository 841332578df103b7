import { X509Certificate } from 'node:crypto';
import type tls from 'node:tls';

/** What was seen of the connection that delivered an answer. */
export interface ConnectionFacts {
  address: string;
  port: number;
  /** `TLSv1.3` and so on. */
  tlsVersion: string;
  /** SHA-256 of the leaf certificate, lower-case hex. */
  certificateSha256: string;
  /** Subject alternative names (`DNS:…`, `IP Address:…`), at most 100 of them, each cut to 300 characters. */
  certificateNames: readonly string[];
  certificateValidToTs: number;
}

const MAX_NAMES = 100;
const MAX_NAME_LENGTH = 300;

/**
 * The certificate that the other side showed, null when there is none. Not `getPeerX509Certificate()`: that
 * returns the certificate on its first call only (Node 20).
 */
export function peerCertificate(socket: tls.TLSSocket): X509Certificate | null {
  const shown: Partial<tls.PeerCertificate> | null = socket.getPeerCertificate(false);
  return shown?.raw === undefined ? null : new X509Certificate(shown.raw);
}

/** Reads the facts off an open, verified connection. */
export function connectionFacts(socket: tls.TLSSocket): ConnectionFacts {
  const certificate = peerCertificate(socket);
  const names = (certificate?.subjectAltName ?? '').split(', ', MAX_NAMES);
  return {
    address: socket.remoteAddress ?? '',
    port: socket.remotePort ?? 0,
    tlsVersion: socket.getProtocol() ?? 'unknown',
    certificateSha256: (certificate?.fingerprint256 ?? '').replaceAll(':', '').toLowerCase(),
    certificateNames: names.filter((name) => name !== '').map((name) => name.slice(0, MAX_NAME_LENGTH)),
    certificateValidToTs: certificate === null ? 0 : Date.parse(certificate.validTo),
  };
}
