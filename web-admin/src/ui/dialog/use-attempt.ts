import { toRequestError } from '../../api/request-error.js';
import { useTell } from './use-tell.js';
import type { UserErrorLine } from './user-errors.js';

type Attempt = <Payload extends { userErrors: readonly UserErrorLine[] }>(
  run: () => Promise<Payload>,
) => Promise<Payload | null>;

/**
 * For a mutation without a dialog: tells what was wrong. Resolves to the payload, which may hold userErrors that
 * were told; null when the request failed as a whole.
 */
export function useAttempt(): Attempt {
  const tell = useTell();
  return async (run) => {
    try {
      const payload = await run();
      const [problem] = payload.userErrors;
      if (problem !== undefined) tell(problem.message, { failed: true });
      return payload;
    } catch (error) {
      tell(toRequestError(error).message, { failed: true });
      return null;
    }
  };
}
