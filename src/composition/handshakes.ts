import { ReachedBounds } from '../core/base/places/reached-bounds.js';
import type { ReachedHandshakes } from '../core/base/places/reached-bounds.js';
import type { Logger } from '../core/base/logger.js';
import type { NameSurroundings } from './names.js';

/** What tells of servers that send too much for a TLS handshake. */
export function createHandshakeBounds({
  clock,
  logger,
  metrics,
}: NameSurroundings & { logger: Logger }): ReachedHandshakes {
  return new ReachedBounds({
    clock,
    log: (line) => logger.warn(line, 'a server sends too much for a TLS handshake'),
    count: () => metrics?.largeHandshakes.inc(),
  });
}

/** Tells them of one, for the clients of key fetches and previews. */
export function noteHandshake({ handshakes }: { handshakes: ReachedHandshakes }): (tlsName: string) => void {
  return (host) => handshakes.note('max_tls_handshake_size', { host });
}
