import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';

import { SignIn } from '../pages/sign-in/page.js';

/** Any address leads to sign-in, which leads back to the very same view. */
export function SignedOut() {
  const [location] = useLocation();
  const search = useSearch();
  const here = search === '' ? location : `${location}?${search}`;
  return (
    <Switch>
      <Route path="/sign-in">
        <SignIn />
      </Route>
      <Route>
        <Redirect to={here === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(here)}`} replace />
      </Route>
    </Switch>
  );
}
