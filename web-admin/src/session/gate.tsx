import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';

import { useBackend } from '../api/backend-context.js';
import { toRequestError } from '../api/request-error.js';
import { fetchSession } from './session-client.js';
import { SessionContext } from './session-context.js';
import { NotReady } from './not-ready.js';

export const SESSION_KEY = ['session'];
const RETRY_MS = 2_000;

/** Whoever signs in next starts with nothing of what the last viewer saw. */
async function readAgain(client: QueryClient): Promise<void> {
  client.removeQueries({ type: 'inactive' });
  await client.invalidateQueries({ queryKey: SESSION_KEY, exact: true });
}

/**
 * Asks GET {base}/session before anything else is drawn. While the server is not ready (or away) it shows why and
 * asks again every 2 s; when the server comes back the pages appear without a reload.
 */
export function Gate({ children }: { children: ReactNode }) {
  const { basePath } = useBackend();
  const client = useQueryClient();
  const { data, error, isPending } = useQuery({
    queryKey: SESSION_KEY,
    queryFn: () => fetchSession(basePath),
    retry: false,
    networkMode: 'always',
    staleTime: Infinity,
    refetchInterval: (query) => (query.state.error === null ? false : RETRY_MS),
  });
  const session = useMemo(
    () => (data === undefined ? null : { ...data, reload: () => readAgain(client) }),
    [data, client],
  );
  if (session !== null) return <SessionContext value={session}>{children}</SessionContext>;
  if (isPending) return null;
  return <NotReady error={toRequestError(error)} />;
}
