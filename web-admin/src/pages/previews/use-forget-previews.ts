import { useCallback } from 'react';

import { toFailure } from '../../api/failure.js';
import { useChange } from '../../api/use-change.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { previewNoun } from './delete-previews.js';
import { forgetPreviewsMutation } from './previews-query.js';

/** Which entries of the memory cache go: some by id, those that failed, or all. */
export type Forgotten = readonly string[] | 'failed' | 'all';

/** Forgets entries of the memory cache and tells how many; the next client makes them anew. */
export function useForgetPreviews(): (which: Forgotten) => Promise<void> {
  const { mutateAsync } = useChange(forgetPreviewsMutation);
  const tell = useTell();
  return useCallback(
    async (which) => {
      try {
        const ids = typeof which === 'string' ? null : [...which];
        const { forgetMemoryPreviews } = await mutateAsync({
          input: { ids, failedOnly: which === 'failed' },
        });
        const { userErrors, matched } = forgetMemoryPreviews;
        const [problem] = userErrors;
        if (problem !== undefined) tell(problem.message, { failed: true });
        else
          tell(
            `Forgot ${matched.toLocaleString('en')} ${previewNoun(matched)}; clients that reload ask anew`,
          );
      } catch (error) {
        tell(toFailure(error).message, { failed: true });
      }
    },
    [mutateAsync, tell],
  );
}
