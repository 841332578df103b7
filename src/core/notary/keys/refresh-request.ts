import type { Client } from '../../base/client.js';
import type { FetchCause } from './fetch-store.js';
import type { FetchReason } from './key-query.js';

/** A server whose keys are wanted afresh. */
export interface RefreshRequest {
  serverName: string;
  reason: FetchReason;
  cause: FetchCause;
  /** Absent: no client asked. */
  client?: Client | undefined;
}

/** How a refresh ended; the label of the metric key_fetch_total. */
export type RefreshOutcome =
  | 'ok'
  | 'failed'
  | 'backoff'
  | 'throttled'
  | 'overloaded'
  | 'not_stored'
  | 'store_unavailable'
  | 'store_full';
