import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';

import { lazy, Suspense } from 'react';

const SignIn = lazy(async () => ({ default: (await import('../pages/sign-in/page.js')).SignIn }));

/** Any address leads to sign-in, which leads back to the very same view. */
export function SignedOut() {
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
