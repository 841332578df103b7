import { useCallback } from 'react';

import { useBackend } from '../../api/backend-context.js';
import { toRequestError } from '../../api/request-error.js';
import { send } from '../../api/send.js';
import { useRefreshViews } from '../../api/use-refresh-views.js';
import { graphql } from '../../gql/gql.js';
import { useTell } from '../../ui/dialog/use-tell.js';

const refreshMutation = graphql(`
  mutation RefreshServerKeys($serverName: String!) {
    refreshServerKeys(serverName: $serverName) {
      userErrors {
        code
        message
      }
      server {
        id
      }
      fetch {
        id
        outcome
        message
      }
    }
  }
`);

const NOT_ALLOWED = 'not in federation_domain_whitelist; see Settings';

/** Fetches the keys of servers one after the other and tells how it ended. */
export function useRefreshKeys(): (names: readonly string[]) => Promise<void> {
  const { basePath } = useBackend();
  const refreshViews = useRefreshViews();
  const tell = useTell();
  return useCallback(
    async (names) => {
      const failed: string[] = [];
      for (const serverName of names) {
        const problem = await send(basePath, refreshMutation, { variables: { serverName }, isBatch: true })
          .then(({ refreshServerKeys: { userErrors } }) => userErrors[0])
          .catch((error: unknown) => toRequestError(error));
        if (problem !== undefined)
          failed.push(
            `${serverName}: ${problem.code === 'FEDERATION_NOT_ALLOWED' ? NOT_ALLOWED : problem.message}`,
          );
      }
      await refreshViews();
      const first = names[0] ?? '';
      const done = names.length - failed.length;
      if (failed.length === 0) tell(names.length === 1 ? `Refreshed ${first}` : `Refreshed ${done} servers`);
      else if (names.length === 1) tell(`Not refreshed. ${failed[0] ?? ''}`, { failed: true });
      else tell(`${done} of ${names.length} refreshed. ${failed.slice(0, 3).join(' · ')}`, { failed: true });
    },
    [basePath, refreshViews, tell],
  );
}
