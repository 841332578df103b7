import { useQuery } from '../api/use-query.js';
import { viewerQuery } from '../session/viewer-query.js';
import { ViewerContext } from '../session/viewer-context.js';
import { Shell } from '../shell/shell.js';
import { ErrorState } from '../ui/state/error-state.js';
import { SignedOut } from './signed-out.js';
import { Pages } from './pages.js';

/** Everything behind the sign-in: asks who this is, then draws shell and page. */
export function SignedIn() {
  const { data, error, refetch } = useQuery(viewerQuery, {});
  if (data === undefined)
    return error === null ? null : <ErrorState failure={error} onRetry={() => void refetch()} />;
  if (data.viewer === null) return <SignedOut />;
  return (
    <ViewerContext value={data.viewer}>
      <Shell>
        <Pages />
      </Shell>
    </ViewerContext>
  );
}
