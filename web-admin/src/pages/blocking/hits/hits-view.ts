import type { HitFilter } from '../../../gql/graphql.js';
import { SINCE, sinceInstant } from '../../../ui/filter/since-select.js';
import { useListView, type ListView } from '../../../ui/table/list-view.js';
import { oneOf, text, words } from '../../../url/params.js';

export const SHAPE = {
  q: words(),
  host: words(),
  stage: oneOf(['TARGET', 'REDIRECT', 'OEMBED', 'IMAGE']),
  by: oneOf(['URL_PATTERN', 'IP_DENY']),
  since: oneOf(SINCE),
  rule: text(),
};
const SORTS = ['AT'] as const;
const INITIAL = { field: 'AT', direction: 'DESC' } as const;

export type HitsView = ListView<'AT', typeof SHAPE>;

/** The list's state in the address bar. */
export function useHitsView(): HitsView {
  return useListView(SHAPE, { sorts: SORTS, initial: INITIAL });
}

/** The filter as the API takes it. */
export function filterOf({ filter }: HitsView): HitFilter {
  const { q, host, stage, by, since, rule } = filter;
  return {
    search: q === '' ? null : q,
    host: host === '' ? null : host,
    stage,
    kind: by,
    ruleId: rule === '' ? null : rule,
    after: sinceInstant(since),
  };
}
