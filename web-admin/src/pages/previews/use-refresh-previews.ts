import { useChange } from '../../api/use-change.js';
import { useAttempt } from '../../ui/dialog/use-attempt.js';
import { refreshPreviewsMutation } from './previews-query.js';

/** Has previews made anew in the background. Resolves to the id of the run; null when it was refused, which is told. */
export function useRefreshPreviews(): (ids: readonly string[]) => Promise<string | null> {
  const { mutateAsync } = useChange(refreshPreviewsMutation);
  const attempt = useAttempt();
  return async (ids) => {
    const input = { ids: [...ids] };
    const payload = await attempt(async () => (await mutateAsync(input)).refreshPreviews);
    return payload?.run?.id ?? null;
  };
}
