import { useEffect, Suspense } from 'react';
import { Route, Switch } from 'wouter';

import { useQuery } from '../api/use-query.js';
import { graphql } from '../gql/gql.js';
import { NotFound } from '../pages/not-found/page.js';
import { NotReady } from '../session/not-ready.js';
import { useSession } from '../session/session-context.js';
import { ViewerContext } from '../session/viewer-context.js';
import { Shell } from '../shell/shell.js';
import { ErrorState, Section, SkeletonLines } from '../ui/state.js';
import { ROUTES } from './routes.js';

const viewerQuery = graphql(`
  query Viewer {
    viewer {
      name
      role
      method
      program
      can
    }
  }
`);

/** The page of the present address. A page that breaks leaves the navigation standing. */
function Pages() {
  return (
    <Switch>
      {ROUTES.map(({ path, page: Page }) => (
        <Route key={path} path={path}>
          <Section key={path}>
            <Suspense fallback={<SkeletonLines count={6} />}>
              <Page />
            </Suspense>
          </Section>
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

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
