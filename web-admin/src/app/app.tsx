import { Redirect, Route, Switch } from 'wouter';

import { nextOf } from '../pages/sign-in/next-of.js';
import { useSession } from '../session/session-context.js';
import { SignedIn } from './signed-in.js';
import { SignedOut } from './signed-out.js';

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
