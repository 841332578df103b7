import { useEffect } from 'react';

import { useQuery } from '../api/use-query.js';
import { NotReady } from '../session/not-ready.js';
import { useSession } from '../session/session-context.js';
import { ViewerContext } from '../session/viewer-context.js';
import { viewerQuery } from '../session/viewer-query.js';
import { Shell } from '../shell/shell.js';
import { ErrorState } from '../ui/state.js';
import { Pages } from './pages.js';

/** Everything behind the sign-in: asks who this is, then draws shell and page. A new role counts within 30 s. */
export function SignedIn() {
  const { data, error, refetch } = useQuery(viewerQuery, {}, { live: 'pulse' });
  if (data === undefined && error === null) return null;
  if (data === undefined)
    return error !== null && ['NOT_READY', 'NETWORK'].includes(error.code) ? (
      <NotReady error={error} />
    ) : (
      error !== null && <ErrorState error={error} onRetry={() => void refetch()} />
    );
  if (data.viewer === null) return <Ended />;
  return (
    <ViewerContext value={data.viewer}>
      <Shell>
        <Pages />
      </Shell>
    </ViewerContext>
  );
}

/** The session ended elsewhere: asks for it again, which leads to sign-in and back to this view. */
function Ended() {
  const { reload } = useSession();
  useEffect(() => {
    void reload();
  }, [reload]);
  return null;
}
