import { EmptyState } from '../../ui/state/empty-state.js';
import { LookUp } from './look-up.js';

/** What stands in place of an empty list. */
export function NoServers({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No server matches">
        Take a filter away, or look a server up by its name:
        <LookUp />
      </EmptyState>
    );
  return (
    <EmptyState title="No keys stored">
      Keys arrive when a peer asks, or look one up:
      <LookUp />
    </EmptyState>
  );
}
