import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

import { toRequestError } from './request-error.js';
import { isPassing } from './send.js';

/** The store of answers. `onSignedOut` is called when any answer says that the session has ended. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (toRequestError(error).code === 'UNAUTHENTICATED') onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        gcTime: 300_000,
        // The server may be on this very machine: a browser that thinks it is offline must ask all the same.
        networkMode: 'always',
        retry: (count, error) => count < 2 && isPassing(error),
        retryDelay: (count, error) => toRequestError(error).details.retryAfterMs ?? 1_000 * 2 ** count,
        refetchOnWindowFocus: true,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
