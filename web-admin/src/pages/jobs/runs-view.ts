import { useListView, type ListView } from '../../ui/table/list-view.js';
import { oneOf } from '../../url/params.js';

export const SHAPE = { outcome: oneOf(['RUNNING', 'OK', 'FAILED', 'SKIPPED', 'CANCELLED']) };

const SORTS = ['STARTED'] as const;
const INITIAL = { field: 'STARTED', direction: 'DESC' } as const;

export type RunsView = ListView<'STARTED', typeof SHAPE>;

/** The list's state in the address bar. */
export function useRunsView(): RunsView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}
