import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { keepPreviousData, useQuery as useTanstackQuery, type UseQueryResult } from '@tanstack/react-query';

import { useLiveInterval, type Pace } from '../live/live-context.js';
import { noteEnd, noteWait, useAwaySince } from '../live/use-away.js';
import { useBackend } from './backend-context.js';
import { toRequestError, type RequestError } from './request-error.js';
import { send, trusted } from './send.js';

export interface QueryOptions {
  /** How often to ask again: see Pace; default 'never'. */
  live?: Pace;
  /** Keep the last page in view while the next one loads; default true. */
  keepPrevious?: boolean;
  /** Nothing is asked yet. */
  isOff?: boolean;
}

const HEAL_MS = 3_000;
/** A process that hangs takes connections and never answers. */
const ANSWER_LIMIT_MS = 20_000;

/** The server is away or starting: what failed asks again by itself until it is back. */
function isAway(error: unknown): boolean {
  return error !== null && ['NETWORK', 'NOT_READY'].includes(toRequestError(error).code);
}

/** Reads through one operation. Same operation and variables share one entry; polling stops in a hidden tab. */
export function useQuery<Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  { live = 'never', keepPrevious = true, isOff = false }: QueryOptions = {},
): UseQueryResult<Data, RequestError> {
  const { basePath } = useBackend();
  const interval = useLiveInterval(live);
  // One view must ask until the server is back, even if no failed one is on the page.
  const heals = useAwaySince() !== null && live === 'pulse';
  return useTanstackQuery<Data, RequestError>({
    queryKey: [trusted(document).name, variables],
    queryFn: async ({ signal, client, queryKey }) => {
      if (client.getQueryData(queryKey) !== undefined) noteWait();
      try {
        const data = await send(basePath, document, { variables, signal, limitMs: ANSWER_LIMIT_MS });
        noteEnd(true);
        return data;
      } catch (error) {
        if (!signal.aborted) noteEnd(!isAway(error));
        throw error;
      }
    },
    enabled: !isOff,
    refetchInterval: ({ state }) => (heals || isAway(state.error) ? HEAL_MS : interval),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });
}
