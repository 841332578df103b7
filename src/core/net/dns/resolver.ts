import type { Client } from '../../base/client.js';

/** One address of a name. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** One SRV record (RFC 2782); `target` is `.` when the domain says that the service does not exist. */
export interface SrvRecord {
  target: string;
  port: number;
  priority: number;
  weight: number;
}

/**
 * Name look-up for outgoing requests. Failures (SERVFAIL, refused, no answer) are thrown as `ApiError` with
 * reason `dns_failure`, `dns_timeout` or `dns_busy`; a name that does not exist is no failure. Look-ups are shared out
 * among clients; without one a look-up counts for the domain of its name alone.
 */
export interface Resolver {
  /** A and AAAA records with CNAMEs followed; no addresses when the name does not exist. Kept for 30 seconds at least. */
  lookup(name: string, client?: Client): Promise<{ addresses: readonly ResolvedAddress[] }>;
  /** SRV records in the order received; `none` when there are none. */
  srv(name: string, client?: Client): Promise<readonly SrvRecord[] | 'none'>;
  /** Drops what is remembered about a name, because a connection to it failed. */
  forget(name: string): void;
}
