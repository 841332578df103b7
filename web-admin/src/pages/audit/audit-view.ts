import type { AuditFilter } from '../../gql/graphql.js';
import { useListView } from '../../ui/table/list-view.js';
import type { ListView } from '../../ui/table/list-view.js';
import { oneOf, text } from '../../url/search-params.js';

export const SHAPE = {
  q: text(),
  actor: text(),
  action: text(),
  outcome: oneOf(['OK', 'FAILED']),
  since: oneOf(['hour', 'day', 'week', 'month']),
};

const SORTS = ['AT'] as const;
const INITIAL = { field: 'AT', direction: 'DESC' } as const;
const SINCE_MS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_592_000_000 };

export type AuditView = ListView<'AT', typeof SHAPE>;

/** The list's state in the address bar. */
export function useAuditView(): AuditView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}

/** The server's filter. "Since" counts from the full minute, so that polling asks the same question. */
export function filterOf({ filter }: AuditView): AuditFilter {
  const { q, actor, action, outcome, since } = filter;
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  return {
    search: q === '' ? null : q,
    actor: actor === '' ? null : actor,
    action: action === '' ? null : action,
    outcome,
    after: since === null ? null : new Date(minute - SINCE_MS[since]).toISOString(),
  };
}
