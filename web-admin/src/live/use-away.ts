import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';

import { isAway } from '../api/use-query.js';

/**
 * While the server does not answer what is in view: when it last answered anything, POSIX ms. `null` while it does.
 * The views ask again by themselves, so this ends by itself.
 */
export function useAwaySince(): number | null {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache]);
  return useSyncExternalStore(subscribe, () => {
    const queries = cache.getAll();
    const isSomeAway = queries.some(
      (query) => query.isActive() && (isAway(query.state.error) || isAway(query.state.fetchFailureReason)),
    );
    return isSomeAway ? Math.max(...queries.map(({ state }) => state.dataUpdatedAt)) : null;
  });
}
