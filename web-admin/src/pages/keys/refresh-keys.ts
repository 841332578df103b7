import { useCallback } from 'react';

import { toFailure } from '../../api/failure.js';
import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { useTell } from '../../ui/dialog/use-tell.js';

const refreshMutation = graphql(`
  mutation RefreshServerKeys($input: RefreshServerKeysInput!) {
    refreshServerKeys(input: $input) {
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

const NOT_ALLOWED = 'Not allowed by the federation list; it is federation.allow in Settings';

/** Fetches the keys of servers one after the other and tells how it ended. */
export function useRefreshKeys(): (names: readonly string[], minimumValidUntilMs?: number) => Promise<void> {
  const { mutateAsync } = useChange(refreshMutation);
  const tell = useTell();
  return useCallback(
    async (names, minimumValidUntilMs) => {
      const failed: string[] = [];
      for (const serverName of names) {
        const problem = await mutateAsync({
          input: { serverName, ...(minimumValidUntilMs === undefined ? {} : { minimumValidUntilMs }) },
        })
          .then(({ refreshServerKeys: { userErrors } }) => userErrors[0])
          .catch((error: unknown) => toFailure(error));
        if (problem !== undefined)
          failed.push(
            `${serverName}: ${problem.code === 'FEDERATION_NOT_ALLOWED' ? NOT_ALLOWED : problem.message}`,
          );
      }
      const done = names.length - failed.length;
      if (failed.length === 0)
        tell(names.length === 1 ? `Refreshed ${names[0] ?? ''}` : `Refreshed ${done} servers`);
      else tell(`${done} of ${names.length} refreshed. ${failed.slice(0, 3).join(' · ')}`, { failed: true });
    },
    [mutateAsync, tell],
  );
}
