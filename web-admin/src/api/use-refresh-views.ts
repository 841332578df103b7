import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

import { useLive } from '../live/live-context.js';

/** Reads everything in view again after a change of our own; lists then show the new rows without asking. */
export function useRefreshViews(): () => Promise<void> {
  const client = useQueryClient();
  const { noteChange } = useLive();
  return useCallback(async () => {
    await client.invalidateQueries();
    noteChange();
  }, [client, noteChange]);
}
