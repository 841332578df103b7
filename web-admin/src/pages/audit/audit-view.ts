import type { AuditAction, AuditFilter } from '../../gql/graphql.js';
import { instant, instantOf } from '../../ui/filter/instant.js';
import { useListView, type ListView } from '../../ui/table/list-view.js';
import { choice, oneOf, text, words } from '../../url/params.js';

export const SHAPE = {
  q: words(),
  actor: text(),
  action: text(),
  outcome: oneOf(['OK', 'FAILED', 'CANCELLED']),
  show: choice(['changes', 'all'], 'changes'),
  from: instant(),
  to: instant(),
};

const SORTS = ['AT'] as const;
const INITIAL = { field: 'AT', direction: 'DESC' } as const;

export type AuditView = ListView<'AT', typeof SHAPE>;

/** The list's state in the address bar. */
export function useAuditView(): AuditView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}

/** The server's filter. */
export function filterOf({ filter }: AuditView): AuditFilter {
  const { q, actor, action, outcome, show, from, to } = filter;
  return {
    search: q === '' ? null : q,
    actor: actor === '' ? null : actor,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the server checks it
    action: action === '' ? null : (action as AuditAction),
    outcome,
    // Whoever names an operation wants it, whatever it does.
    changesOnly: show === 'changes' && action === '',
    after: instantOf(from),
    before: instantOf(to),
  };
}

/** `DELETE_PREVIEWS` as commands and the export name it: `deletePreviews`. */
export function operationOf(action: string): string {
  return action.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
