import { Suspense } from 'react';
import { Route, Switch } from 'wouter';

import { NotFound } from '../pages/not-found/page.js';
import { Section, SkeletonLines } from '../ui/state.js';
import { ROUTES } from './routes.js';

/** The page of the present address. A page that breaks leaves the navigation standing. */
export function Pages() {
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
