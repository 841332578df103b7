import { withLibpqTls } from '../base/text/tls-mode.js';

const CONNECT_TIMEOUT_MS = 5000;

/**
 * Settings of a PostgreSQL connection that hold for the pool and for single connections alike. Apart from what uses
 * `pg`, which takes 50 ms to load: a server on SQLite reads these files, too.
 */
export function connectionSettings(url: string): {
  connectionString: string;
  connectionTimeoutMillis: number;
  keepAlive: boolean;
} {
  return {
    connectionString: withLibpqTls(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  };
}
