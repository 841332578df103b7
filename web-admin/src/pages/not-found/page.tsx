import { Link } from 'wouter';

import { PageHeader } from '../../ui/page.js';
import { EmptyState } from '../../ui/state.js';

/** An address that no page has. */
export function NotFound() {
  return (
    <>
      <PageHeader title="No such page" />
      <EmptyState title="This page does not exist">
        The link may be from an older version. <Link href="/">Go to the overview</Link>, or press <kbd>?</kbd>{' '}
        for the keyboard shortcuts.
      </EmptyState>
    </>
  );
}
