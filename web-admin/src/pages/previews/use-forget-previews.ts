import { useChange } from '../../api/use-change.js';
import { useAttempt } from '../../ui/dialog/use-attempt.js';
import { useTell } from '../../ui/dialog/use-tell.js';
import { counted } from '../../ui/text/counted.js';
import { forgetPreviewsMutation } from './previews-query.js';

/** Which entries of the memory cache go: some by id, those that failed, or all. */
export type Forgotten = readonly string[] | 'failed' | 'all';

/** Forgets entries of the memory cache and tells how many; the next client makes them anew. */
export function useForgetPreviews(): (which: Forgotten) => Promise<void> {
  const { mutateAsync } = useChange(forgetPreviewsMutation);
  const attempt = useAttempt();
  const tell = useTell();
  return async (which) => {
    const input = { ids: typeof which === 'string' ? null : [...which], failedOnly: which === 'failed' };
    const payload = await attempt(async () => (await mutateAsync(input)).forgetMemoryPreviews);
    if (payload?.userErrors.length === 0)
      tell(`Forgot ${counted(payload.matched, 'preview')}; clients that reload ask anew`);
  };
}
