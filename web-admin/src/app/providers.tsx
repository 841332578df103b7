import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import { Router } from 'wouter';

import { BackendContext } from '../api/backend-context.js';
import { readStyleNonce } from '../api/base-path.js';
import { createQueryClient } from '../api/query-client.js';
import { Announcer } from '../live/announcer.js';
import { LiveProvider } from '../live/live-context.js';
import { SESSION_KEY } from '../session/gate.js';
import { cssVariables, theme } from '../theme/theme.js';

const Notifications = lazy(async () => ({ default: (await import('../ui/notifications.js')).Notifications }));

/** Everything the pages stand on: theme, answers, address bar, live refresh and announcements. */
export function Providers({ basePath, children }: { basePath: string; children: ReactNode }) {
  const backend = useMemo(() => ({ basePath }), [basePath]);
  const client = useMemo(() => {
    const created = createQueryClient(() => void created.invalidateQueries({ queryKey: SESSION_KEY }));
    return created;
  }, []);
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
