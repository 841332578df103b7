import { Link } from 'wouter';

import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';

/** An address that no page has. */
export function NotFound() {
  return (
    <>
      <PageHeader title="No such page" />
      <Panel>
        <EmptyState title="Nothing is kept under this address">
          The link may be from an older version. <Link href="/">Go to the overview</Link>, or press{' '}
          <kbd>?</kbd> for the ways around.
        </EmptyState>
      </Panel>
    </>
  );
}
