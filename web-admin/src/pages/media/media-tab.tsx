import { Button, Group, Stack } from '@mantine/core';
import { Link } from 'wouter';

import { useBackend } from '../../api/backend-context.js';
import { useQuery } from '../../api/use-query.js';
import type { MediaFilter } from '../../gql/graphql.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import {
  choiceField,
  filterWords,
  hostField,
  textField,
  TIME,
  timesOf,
  type FilterOf,
} from '../../ui/filter/fields.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { EmptyState } from '../../ui/state.js';
import { useListView } from '../../ui/table/list-view.js';
import { List } from '../../ui/table/list.js';
import type { Column, RowAction } from '../../ui/table/table-types.js';
import { Bytes, CopyButton, Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { hostHref, mediaHref } from '../hrefs.js';
import { download, FileState, MediaImage, nameOf, pixelWords, useDeleteMedia } from './media-actions.js';
import { MediaDrawer } from './media-drawer.js';
import { mediaQuery, type MediaRow } from './media-query.js';
import { Space } from './space.js';

const FIELDS = {
  host: hostField('host'),
  type: textField((type) => `type ${type}`),
  owner: textField((owner) => `requested by ${owner}`),
  file: choiceField('File', ['PRESENT', 'MISSING'], { MISSING: 'File missing' }),
  ...TIME,
};
const SORTS = ['CREATED_AT', 'BYTES'] as const;
const SHAPE = { item: text() };

/** The filter as the API takes it; also for deleting all that match. */
function filterOf(filter: FilterOf<typeof FIELDS>): MediaFilter {
  const { q, type, owner, host, file } = filter;
  const { after, before } = timesOf(filter);
  return {
    search: q || null,
    contentType: type || null,
    owner: owner || null,
    host: host || null,
    createdAfter: after,
    createdBefore: before,
    fileState: file,
  };
}

const COLUMNS: readonly Column<MediaRow>[] = [
  {
    title: 'Media',
    isMain: true,
    cell: (media) => (
      <Group gap="sm" wrap="nowrap">
        <MediaImage media={media} width={40} height={40} />
        <div>
          <Link href={mediaHref(media.mediaId)}>
            <UntrustedText text={nameOf(media)} max={48} inside />
          </Link>
          <Note>
            <UntrustedText text={media.mediaId} max={36} mono />{' '}
            <CopyButton text={media.contentUri} what="content URI" />
          </Note>
        </div>
      </Group>
    ),
  },
  {
    title: 'Type',
    width: 120,
    cell: (media) => (
      <>
        <UntrustedText text={media.contentType} max={30} />
        {pixelWords(media) !== null && <Note>{pixelWords(media)}</Note>}
        {media.fileState !== 'PRESENT' && <FileState state={media.fileState} />}
      </>
    ),
  },
  { title: 'Size', sort: 'BYTES', isNumber: true, width: 80, cell: ({ bytes }) => <Bytes bytes={bytes} /> },
  { title: 'User', width: 175, cell: ({ owner }) => <UntrustedText text={owner} max={28} /> },
  {
    title: 'Created',
    sort: 'CREATED_AT',
    width: 105,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    title: 'Expires',
    width: 90,
    cell: ({ deletesAt }) => <RelativeTime at={deletesAt} none="never" />,
  },
];

/** Stored pages and images: where the space goes, and each item with when it is deleted. */
export function MediaTab() {
  const view = useListView(FIELDS, SORTS, '-CREATED_AT');
  const [{ item }, change] = useSearchParams(SHAPE);
  const { role } = useViewer();
  const isAdmin = role === 'ADMIN';
  const filter = filterOf(view.filter);
  const query = useQuery(mediaQuery, { ...view.page, ...view.order, filter }, { live: 'list' });
  const deletion = useDeleteMedia({ filter, words: filterWords(FIELDS, view.filter) });
  const can = useCan();
  const actionsOf = useRowActions(deletion.ask, (only) => view.setFilter(only));
  return (
    <Stack gap="sm">
      <Space onFilter={(patch) => view.setFilter(patch)} />
      <FilterBar view={view} placeholder={`ID, URL or name, or host: type:${isAdmin ? ' owner:' : ''}`}>
        {view.isFiltered && can('deleteMedia') && (
          <Button variant="outline" color="bad" onClick={() => deletion.ask(null)}>
            Delete all that match…
          </Button>
        )}
      </FilterBar>
      <List
        view={view}
        query={query}
        of={({ media }) => media}
        caption="Stored media"
        noun="media item"
        columns={isAdmin ? COLUMNS : COLUMNS.filter(({ title }) => title !== 'User')}
        actions={actionsOf}
        bulk={[
          {
            label: 'Delete…',
            needs: 'deleteMedia',
            danger: true,
            allowsAll: true,
            onSelect: deletion.ask,
          },
        ]}
        empty={
          <EmptyState title={view.isFiltered ? 'No media matches' : 'No media stored'}>
            {view.isFiltered
              ? 'Remove a filter to see more.'
              : 'Pages and images are stored with the previews that clients request.'}
          </EmptyState>
        }
      />
      {deletion.dialog}
      <MediaDrawer mediaId={item} onClose={() => change({ item: '' })} />
    </Stack>
  );
}

function hostOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).hostname : null;
}

/** What can be done with one media. */
function useRowActions(
  askDelete: (ids: readonly string[]) => void,
  onOnly: (filter: { host?: string; owner?: string }) => void,
) {
  const { basePath } = useBackend();
  return ({ id, mediaId, owner, sourceUrl, fileState }: MediaRow): RowAction[] => {
    const host = hostOf(sourceUrl);
    return [
      { label: 'View', href: mediaHref(mediaId) },
      ...(fileState === 'PRESENT'
        ? [{ label: 'Download', onSelect: () => download(basePath, mediaId) }]
        : []),
      ...(host === null
        ? []
        : [
            { label: `Previews of ${host}`, href: hostHref(host) },
            { label: `Only ${host}`, onSelect: () => onOnly({ host }) },
          ]),
      ...(owner === null ? [] : [{ label: `Only ${owner}`, onSelect: () => onOnly({ owner }) }]),
      { label: 'Delete…', needs: 'deleteMedia', danger: true, onSelect: () => askDelete([id]) },
    ];
  };
}
