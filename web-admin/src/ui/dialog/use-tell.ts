import { useCallback } from 'react';

import { toRequestError } from '../../api/request-error.js';
import { useAnnounce } from '../../live/announcer.js';
import type { UserErrorLine } from './dialog.js';

/** Shows the outcome of an action as a short notice, and announces it to screen readers. */
export function useTell(): (message: string, options?: { failed?: boolean }) => void {
  const announce = useAnnounce();
  return useCallback(
    (message: string, { failed = false }: { failed?: boolean } = {}) => {
      announce(message);
      void import('../notifications.js').then(({ notifications }) =>
        notifications.show({
          message,
          color: failed ? 'bad' : 'ink',
          autoClose: failed ? 10_000 : 5_000,
          closeButtonProps: { 'aria-label': 'Close this notice' },
        }),
      );
    },
    [announce],
  );
}

/**
 * For a request without a dialog: shows what was wrong. Resolves to the answer, whose userErrors have been shown; null
 * when the request failed as a whole.
 */
export function useAttempt(): <Answer extends object>(run: () => Promise<Answer>) => Promise<Answer | null> {
  const tell = useTell();
  return async (run) => {
    try {
      const answer = await run();
      const { userErrors = [] }: { userErrors?: readonly UserErrorLine[] } = answer;
      const [problem] = userErrors;
      if (problem !== undefined) tell(problem.message, { failed: true });
      return answer;
    } catch (error) {
      tell(toRequestError(error).message, { failed: true });
      return null;
    }
  };
}
