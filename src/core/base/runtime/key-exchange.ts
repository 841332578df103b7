import { constants } from 'node:crypto';

/** The first OpenSSL that offers no group of finite fields above 3,072 bits by itself. */
const SMALL_GROUPS_SINCE = [3, 5];

/**
 * How keys are agreed upon, with peers and with clients: never over large finite fields. The other end chooses them, and
 * 10,000 bits of its own making, which OpenSSL takes, hold the event loop for 0.6 s a handshake, the standard 8,192 for
 * 0.12 s.
 */
export const KEY_EXCHANGE = {
  ...(hasOlderSuites(constants.defaultCipherList) ? { ciphers: `${constants.defaultCipherList}:!kDHE` } : {}),
  ...(isOlder(process.versions.openssl, SMALL_GROUPS_SINCE)
    ? { ecdhCurve: 'X25519:P-256:X448:P-521:P-384' }
    : {}),
};

/** Of TLS 1.2: OpenSSL refuses a list that leaves none of them, as `--tls-cipher-list` may. */
function hasOlderSuites(list: string): boolean {
  return list.split(':').some((name) => !name.startsWith('TLS_'));
}

function isOlder(version: string, [major = 0, minor = 0]: readonly number[]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor === major ? ownMinor < minor : ownMajor < major;
}
