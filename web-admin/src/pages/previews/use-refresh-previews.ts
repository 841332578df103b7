import { useCallback } from 'react';

import { toFailure } from '../../api/failure.js';
import { useChange } from '../../api/use-change.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { refreshPreviewsMutation } from './previews-query.js';

/** Has previews made anew in the background. Resolves to the id of the run; null when it was refused, which is told. */
export function useRefreshPreviews(): (ids: readonly string[]) => Promise<string | null> {
  const { mutateAsync } = useChange(refreshPreviewsMutation);
  const tell = useTell();
  return useCallback(
    async (ids) => {
      try {
        const { refreshPreviews } = await mutateAsync({ input: { ids: [...ids] } });
        const [problem] = refreshPreviews.userErrors;
        if (problem !== undefined) tell(problem.message, { failed: true });
        return refreshPreviews.run?.id ?? null;
      } catch (error) {
        tell(toFailure(error).message, { failed: true });
        return null;
      }
    },
    [mutateAsync, tell],
  );
}
