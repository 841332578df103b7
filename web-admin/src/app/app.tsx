import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';

import { nextOf } from '../pages/sign-in/next-of.js';
import { useSession } from '../session/session-context.js';
import { SignedIn } from './signed-in.js';

/** Signed out: sign-in. Signed in: the pages; the sign-in address leads on to where one wanted to go. */
export function App() {
  const { signedIn } = useSession();
  if (!signedIn) return <SignedOut />;
  return (
    <Switch>
      <Route path="/sign-in">
        <Redirect to={nextOf(window.location.search)} replace />
      </Route>
      <Route>
        <SignedIn />
      </Route>
    </Switch>
  );
}

const SignIn = lazy(async () => ({ default: (await import('../pages/sign-in/page.js')).SignIn }));

/** Any address leads to sign-in, which leads back to the very same view. */
function SignedOut() {
  const [location] = useLocation();
  const search = useSearch();
  const here = search === '' ? location : `${location}?${search}`;
  return (
    <Switch>
      <Route path="/sign-in">
        <Suspense>
          <SignIn />
        </Suspense>
      </Route>
      <Route>
        <Redirect to={here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`} replace />
      </Route>
    </Switch>
  );
}
