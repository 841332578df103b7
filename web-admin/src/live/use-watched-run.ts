import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { useCallback, useEffect, useRef, useState } from 'react';

import { useBackend } from '../api/backend-context.js';
import { toRequestError, type RequestError } from '../api/request-error.js';
import { sendWatched, type Stage } from '../api/send-watched.js';
import { useRefreshViews } from '../api/use-refresh-views.js';
import type { TraceStepFragment } from '../gql/graphql.js';

/** A stage that has begun and not ended. */
export type RunningStage = NonNullable<Stage['began']>;

/** A run as it stands. */
export interface WatchedRun<Data, Variables> {
  state: 'idle' | 'running' | 'cancelled' | 'done';
  /** Those of this run that have ended, in order. */
  stages: readonly TraceStepFragment[];
  running: RunningStage | null;
  /** What was asked; null before the first run. */
  variables: Variables | null;
  data: Data | null;
  error: RequestError | null;
}

const IDLE = { state: 'idle', stages: [], running: null, variables: null, data: null, error: null } as const;

/**
 * Runs an operation that tells its stages, one run at a time: a new one, `cancel` and leaving the page end the one
 * before, on the server, too.
 */
export function useWatchedRun<Data, Variables>(document: TypedDocumentNode<Data, Variables>) {
  const { basePath } = useBackend();
  const refreshViews = useRefreshViews();
  const [run, setRun] = useState<WatchedRun<Data, Variables>>(IDLE);
  const current = useRef<AbortController | null>(null);
  useEffect(() => () => current.current?.abort(), []);

  const start = useCallback(
    async (variables: Variables): Promise<Data | null> => {
      current.current?.abort();
      const gone = new AbortController();
      current.current = gone;
      const change = (patch: (before: WatchedRun<Data, Variables>) => Partial<WatchedRun<Data, Variables>>) =>
        setRun((before) => (current.current === gone ? { ...before, ...patch(before) } : before));
      change(() => ({ ...IDLE, state: 'running', variables }));
      try {
        const data = await sendWatched(basePath, document, {
          variables,
          signal: gone.signal,
          onStage: (stage) => change((before) => withStage(before, stage)),
        });
        change(() => ({ state: 'done', running: null, data }));
        void refreshViews();
        return data;
      } catch (error) {
        if (!gone.signal.aborted)
          change(() => ({ state: 'done', running: null, error: toRequestError(error) }));
        return null;
      }
    },
    [basePath, document, refreshViews],
  );
  const cancel = useCallback(() => {
    current.current?.abort();
    setRun((before) => (before.state === 'running' ? { ...before, state: 'cancelled' } : before));
  }, []);
  return { ...run, start, cancel };
}

/** What ends was the one under way, or took no time. */
function withStage<Data, Variables>(
  { stages }: WatchedRun<Data, Variables>,
  { began, ended }: Stage,
): Partial<WatchedRun<Data, Variables>> {
  if (ended !== undefined) return { stages: [...stages, ended], running: null };
  return began === undefined ? {} : { running: began };
}
