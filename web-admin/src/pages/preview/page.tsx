import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page.js';
import { EmptyState, QueryView } from '../../ui/state.js';
import { CopyButton, SafeLink, UntrustedText } from '../../ui/text/text.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { BlockButton } from '../blocking/block-dialog.js';
import { hostHref, tryHref } from '../hrefs.js';
import { useDeletePreviews, useRefreshPreviews } from '../previews/preview-actions.js';
import { Gone } from './gone.js';
import { Answer, Caches, ClientCurl, PreviewMedia } from './preview-parts.js';
import { previewByIdQuery, previewQuery, type PreviewData } from './preview-query.js';

const SHAPE = { url: text(), id: text() };
const BACK = { href: '/previews', label: 'Previews' };
const OPTIONS = { live: 'list', keepPrevious: false } as const;

/** One stored preview: by URL, or by id for those who are not shown query strings. */
export function Page() {
  const [{ url, id }] = useSearchParams(SHAPE);
  if (id !== '') return <ById key={id} id={id} url={url} />;
  if (url !== '') return <ByUrl key={url} url={url} />;
  return (
    <>
      <PageHeader title="Preview" back={BACK} />
      <EmptyState title="No preview selected">
        The address of this page has no preview ID or URL. Choose a preview from the list.
      </EmptyState>
    </>
  );
}

function ByUrl({ url }: { url: string }) {
  const query = useQuery(previewQuery, { url }, OPTIONS);
  return (
    <QueryView query={query} loading={<PageHeader title="Preview" back={BACK} />}>
      {({ preview }) => (preview === null ? <Gone url={url} /> : <Details preview={preview} />)}
    </QueryView>
  );
}

function ById({ id, url }: { id: string; url: string }) {
  const query = useQuery(previewByIdQuery, { id }, OPTIONS);
  return (
    <QueryView query={query} loading={<PageHeader title="Preview" back={BACK} />}>
      {({ preview }) => (preview === null ? <Gone url={url} /> : <Details preview={preview} />)}
    </QueryView>
  );
}

/** Everything known of one stored preview. */
function Details({ preview }: { preview: PreviewData }) {
  const { url } = preview;
  const can = useCan();
  return (
    <>
      <Header preview={preview} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        <Stack gap="sm" miw={0}>
          <Answer preview={preview} />
        </Stack>
        <Stack gap="sm" miw={0}>
          <Caches preview={preview} />
          <PreviewMedia preview={preview} />
          <ClientCurl url={url} />
          {can('tryPreview') && (
            <Text c="dimmed" data-prose>
              Left-out values are not stored. <Link href={tryHref(url)}>Try the URL</Link> to see what is left
              out.
            </Text>
          )}
        </Stack>
      </SimpleGrid>
    </>
  );
}

function Header({ preview }: { preview: PreviewData }) {
  const { host, title, url } = preview;
  return (
    <PageHeader
      title={title ?? 'Preview'}
      heading={title === null ? 'No title' : <UntrustedText text={title} max={160} />}
      description={
        <>
          <SafeLink url={url} max={110} /> <CopyButton text={url} what="URL" /> of{' '}
          <Link href={hostHref(host)}>
            <UntrustedText text={host} max={60} inside />
          </Link>
        </>
      }
      back={BACK}
      actions={<Actions preview={preview} />}
    />
  );
}

function Actions({ preview: { id, url, host } }: { preview: PreviewData }) {
  const can = useCan();
  const deletion = useDeletePreviews({ filter: {}, words: [] });
  const refresh = useRefreshPreviews();
  return (
    <Group gap="xs">
      {can('deletePreviews') && (
        <Button variant="outline" color="bad" onClick={() => deletion.ask([id])}>
          Delete…
        </Button>
      )}
      <BlockButton host={host} />
      {can('tryPreview') && (
        <Button component={Link} href={tryHref(url)}>
          Try
        </Button>
      )}
      {can('refreshPreviews') && (
        <Button variant="filled" onClick={() => refresh([id])}>
          Refresh
        </Button>
      )}
      {deletion.dialog}
    </Group>
  );
}
