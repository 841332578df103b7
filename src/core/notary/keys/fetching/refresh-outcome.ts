import { isStoreFull, isStoreUnavailable } from '../../../store/store-errors.js';

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

/** What becomes of a refresh whose outcome could not be stored. */
export function whyNotStored(error: unknown): RefreshOutcome {
  if (isStoreFull(error)) return 'store_full';
  return isStoreUnavailable(error) ? 'store_unavailable' : 'not_stored';
}
