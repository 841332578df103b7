import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import { Router } from 'wouter';

import { BackendContext } from '../api/backend-context.js';
import { readStyleNonce } from '../api/base-path.js';
import { toRequestError } from '../api/request-error.js';
import { isPassing } from '../api/send.js';
import { Announcer } from '../live/announcer.js';
import { LiveProvider } from '../live/live-context.js';
import { SESSION_KEY } from '../session/gate.js';
import { cssVariables, theme } from '../theme/theme.js';

const Notifications = lazy(async () => ({ default: (await import('../ui/notifications.js')).Notifications }));

/** Everything the pages stand on: theme, answers, address bar, live refresh and announcements. */
export function Providers({ basePath, children }: { basePath: string; children: ReactNode }) {
  const backend = useMemo(() => ({ basePath }), [basePath]);
  const client = useMemo(() => createQueryClient(), []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={readStyleNonce}
    >
      <BackendContext value={backend}>
        <QueryClientProvider client={client}>
          <Router base={basePath}>
            <LiveProvider>
              <Announcer>
                {children}
                <Suspense>
                  <Notifications position="bottom-right" limit={3} />
                </Suspense>
              </Announcer>
            </LiveProvider>
          </Router>
        </QueryClientProvider>
      </BackendContext>
    </MantineProvider>
  );
}

/** The store of answers. The session is read again when any answer says that it has ended. */
function createQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    if (toRequestError(error).code === 'UNAUTHENTICATED')
      void client.invalidateQueries({ queryKey: SESSION_KEY });
  };
  const client: QueryClient = new QueryClient({
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
  return client;
}
