import { Button, Group, Tooltip } from '@mantine/core';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import type { PreviewFilter } from '../../gql/graphql.js';
import {
  choiceField,
  filterWords,
  flagField,
  hostField,
  textField,
  TIME,
  timesOf,
  type FilterOf,
} from '../../ui/filter/fields.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { SafeImage, thumbnailPath } from '../../ui/safe-image.js';
import { EmptyState, StateBadge } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column, RowAction } from '../../ui/table/table-types.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { writeMarks } from '../../ui/text/visible-marks.js';
import { useCan } from '../../session/viewer-context.js';
import { BlockButton } from '../blocking/block-dialog.js';
import { previewHref, tryHref } from '../hrefs.js';
import { ClearFailures, useDeletePreviews, useRefreshPreviews } from './preview-actions.js';
import { previewsQuery, type PreviewRow } from './previews-query.js';

const FIELDS = {
  host: hostField('host'),
  state: choiceField('State', ['FRESH', 'EXPIRED'], { FRESH: 'Fresh', EXPIRED: 'Expired' }),
  status: textField((status) => `status ${status}`, {
    isMeant: (status) => /^\d{3}$/.test(status),
  }),
  owner: textField((owner) => `stored for ${owner}`),
  image: flagField('Image', { yes: 'With image', no: 'Without image' }),
  empty: flagField('Answer', { yes: 'Empty' }),
  ...TIME,
};
const SORTS = ['CREATED_AT', 'EXPIRES_AT'] as const;

/** The filter as the API takes it; also for deleting all that match. */
function filterOf(filter: FilterOf<typeof FIELDS>): PreviewFilter {
  const { q, host, state, status, owner, image, empty } = filter;
  const { after, before } = timesOf(filter);
  return {
    search: q || null,
    host: host || null,
    state,
    responseCode: status === '' ? null : Number(status),
    owner: owner || null,
    hasImage: image,
    empty,
    createdAfter: after,
    createdBefore: before,
  };
}

const COLUMNS: readonly Column<PreviewRow>[] = [
  {
    title: 'Preview',
    isMain: true,
    cell: (preview) => (
      <Group gap="sm" wrap="nowrap">
        <SafeImage
          path={thumbnailPath(preview.image?.viewPath, '96x96-crop')}
          alt=""
          width={40}
          height={40}
          icon="world"
        />
        <div>
          <Link href={previewHref(preview)}>
            {preview.title === null ? 'untitled' : <UntrustedText text={preview.title} max={90} inside />}
          </Link>
          <Tooltip label={writeMarks(preview.url)}>
            <div>
              <Note>
                <UntrustedText text={preview.url} max={64} inside />
              </Note>
            </div>
          </Tooltip>
        </div>
      </Group>
    ),
  },
  {
    title: 'Status',
    width: 90,
    cell: ({ responseCode }) =>
      responseCode < 400 ? responseCode : <StateBadge tone="warn">{String(responseCode)}</StateBadge>,
  },
  {
    title: 'Stored',
    sort: 'CREATED_AT',
    width: 110,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    title: 'Expires',
    sort: 'EXPIRES_AT',
    width: 110,
    cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
  },
];

/** Previews in the store, whatever instance made them. */
export function StoredTab() {
  const can = useCan();
  const view = useListView(FIELDS, SORTS, '-CREATED_AT');
  const filter = filterOf(view.filter);
  const { host } = view.filter;
  const query = useQuery(previewsQuery, { ...view.page, ...view.order, filter }, { live: 'list' });
  const deletion = useDeletePreviews({ filter, words: filterWords(FIELDS, view.filter) });
  const refresh = useRefreshPreviews();
  const actionsOf = useRowActions(deletion.ask, (only) => view.setFilter({ host: only }));
  return (
    <>
      <FilterBar view={view} placeholder="URL or title, or host:example.org status:404">
        {host !== '' && <BlockButton host={host} />}
        {host !== '' && can('deletePreviews') && (
          <Button variant="outline" color="bad" onClick={() => deletion.ask(null)}>
            Delete all…
          </Button>
        )}
        <ClearFailures />
      </FilterBar>
      <List
        view={view}
        query={query}
        of={({ previews }) => previews}
        caption="Stored previews"
        noun="preview"
        columns={COLUMNS}
        actions={actionsOf}
        bulk={[
          {
            label: 'Refresh',
            needs: 'refreshPreviews',
            onSelect: (ids) => refresh(ids ?? []),
          },
          {
            label: 'Delete…',
            needs: 'deletePreviews',
            danger: true,
            allowsAll: true,
            onSelect: deletion.ask,
          },
        ]}
        empty={
          <EmptyState title={view.isFiltered ? 'No preview matches' : 'Nothing cached'}>
            {view.isFiltered
              ? 'Remove a filter to see more.'
              : 'Previews are stored when clients request them.'}
          </EmptyState>
        }
      />
      {deletion.dialog}
    </>
  );
}

/** What can be done with one preview. */
function useRowActions(
  askDelete: (ids: readonly string[]) => void,
  onOnly: (host: string) => void,
): (row: PreviewRow) => RowAction[] {
  const refresh = useRefreshPreviews();
  return ({ id, url, host }) => [
    { label: 'Try', needs: 'tryPreview', href: tryHref(url) },
    {
      label: 'Refresh',
      needs: 'refreshPreviews',
      hint: 'Fetches the URL again and replaces the preview',
      onSelect: () => refresh([id]),
    },
    { label: `Only ${host}`, onSelect: () => onOnly(host) },
    { label: 'Delete…', needs: 'deletePreviews', danger: true, onSelect: () => askDelete([id]) },
  ];
}
