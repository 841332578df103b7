import { useQuery } from '../../api/use-query.js';
import { choiceField, hostField, textField, TIME, timesOf, type Field } from '../../ui/filter/fields.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { EmptyState } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column } from '../../ui/table/table-types.js';
import { Copied, Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { hostHref, tryHref } from '../hrefs.js';
import { hitsQuery, type HitRow } from './blocking-query.js';
import { RuleParts } from './rule-parts.js';

const STAGES: Readonly<Record<HitRow['stage'], string>> = {
  TARGET: 'Target',
  REDIRECT: 'Redirect',
  OEMBED: 'oEmbed',
  IMAGE: 'Image',
};

const by: Field<'URL_PATTERN' | 'IP_DENY' | null> = choiceField('By', ['URL_PATTERN', 'IP_DENY'], {
  URL_PATTERN: 'URL rule',
  IP_DENY: 'Address range',
});
const FIELDS = {
  host: hostField('host'),
  stage: choiceField('Stage', ['TARGET', 'REDIRECT', 'OEMBED', 'IMAGE'], STAGES),
  by,
  rule: textField(() => 'one rule', { isTyped: false }),
  ...TIME,
};
const SORTS = ['AT'] as const;

const COLUMNS: readonly Column<HitRow>[] = [
  { title: 'Time', width: 110, cell: ({ at }) => <RelativeTime at={at} /> },
  {
    title: 'URL',
    isMain: true,
    cell: ({ url, owner }) => (
      <>
        <UntrustedText text={url} max={80} />
        {owner !== null && (
          <Note>
            for <UntrustedText text={owner} max={48} />
          </Note>
        )}
      </>
    ),
  },
  { title: 'Stage', width: 90, cell: ({ stage }) => STAGES[stage] },
  {
    title: 'Rule',
    cell: ({ ruleText, rule }) =>
      rule === null ? (
        <>
          <UntrustedText text={ruleText} max={60} mono /> <Note>rule removed</Note>
        </>
      ) : (
        <RuleParts parts={rule.parts} />
      ),
  },
  { title: 'Address', width: 110, cell: ({ address }) => address ?? '—' },
  {
    title: 'Request',
    width: 170,
    cell: ({ requestId }) => (requestId === '' ? '—' : <Copied text={requestId} what="request id" />),
  },
];

/** What was refused, newest first. */
export function HitsTab() {
  const view = useListView(FIELDS, SORTS, '-AT');
  const { q, host, stage, rule, by: kind } = view.filter;
  const filter = {
    search: q || null,
    host: host || null,
    stage,
    kind,
    ruleId: rule || null,
    ...timesOf(view.filter),
  };
  const query = useQuery(hitsQuery, { ...view.forward, filter }, { live: 'list' });
  return (
    <>
      <FilterBar view={view} placeholder="Part of the URL, or host:example.org stage:redirect" />
      <List
        view={view}
        query={query}
        of={({ blockHits }) => blockHits}
        hasBack={false}
        caption="Refused addresses"
        columns={COLUMNS}
        actions={({ url }) => [
          { label: 'Check this URL', href: `/blocking?tab=check&url=${encodeURIComponent(url)}` },
          ...(URL.canParse(url)
            ? [{ label: 'Previews of this host', href: hostHref(new URL(url).hostname) }]
            : []),
          { label: 'Try a preview', needs: 'tryPreview', href: tryHref(url) },
        ]}
        empty={
          <EmptyState title={view.isFiltered ? 'No refusal matches' : 'Nothing was refused'}>
            {view.isFiltered
              ? 'Remove a filter to see more.'
              : 'Hits appear when a client requests a preview of a blocked URL.'}
          </EmptyState>
        }
      />
    </>
  );
}
