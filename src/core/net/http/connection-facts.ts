import type { SecureConnection } from './secure-connect.js';

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

/** Reads the facts off an open, verified connection. */
export function connectionFacts({ socket, certificate }: SecureConnection): ConnectionFacts {
  const names = (certificate.subjectaltname ?? '').split(', ', MAX_NAMES);
  return {
    address: socket.remoteAddress ?? '',
    port: socket.remotePort ?? 0,
    tlsVersion: socket.getProtocol() ?? 'unknown',
    certificateSha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    certificateNames: names.filter((name) => name !== '').map((name) => name.slice(0, MAX_NAME_LENGTH)),
    certificateValidToTs: Date.parse(certificate.valid_to),
  };
}
