import { useChange } from '../../api/use-change.js';
import { graphql } from '../../gql/gql.js';
import { useAttempt, useTell } from '../../ui/dialog/use-tell.js';

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
    }
  }
`);

/** Fetches the keys of a server now and says how it ended. */
export function useRefreshKeys(): (serverName: string) => Promise<void> {
  const { mutateAsync } = useChange(refreshMutation);
  const attempt = useAttempt();
  const tell = useTell();
  return async (serverName) => {
    const payload = await attempt(async () => (await mutateAsync({ serverName })).refreshServerKeys);
    if (payload?.userErrors.length === 0) tell(`Refreshed ${serverName}`);
  };
}
