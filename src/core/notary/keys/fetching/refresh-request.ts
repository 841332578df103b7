import type { Asker } from '../../../base/places/asker.js';
import type { FetchCause } from '../fetch-store.js';
import type { FetchReason } from '../key-query.js';

/** A server whose keys are wanted afresh. */
export interface RefreshRequest {
  serverName: string;
  reason: FetchReason;
  cause: FetchCause;
  /** Absent: nobody from outside. */
  asker?: Asker | undefined;
}
