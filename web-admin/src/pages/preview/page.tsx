import { Button, Group, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';

import { useChange } from '../../api/use-change.js';
import { useQuery } from '../../api/use-query.js';
import { useCan } from '../../session/viewer-context.js';
import { useAttempt } from '../../ui/dialog/use-tell.js';
import { PageHeader } from '../../ui/page.js';
import { EmptyState, QueryView } from '../../ui/state.js';
import { CopyButton, SafeLink, UntrustedText } from '../../ui/text/text.js';
import { text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { BlockButton } from '../blocking/block-dialog.js';
import { hostHref, isPartHidden, tryHref } from '../hrefs.js';
import { useDeletePreviews, useRefreshPreviews } from '../previews/preview-actions.js';
import { Gone } from './gone.js';
import { Answer, Caches, ClientCurl, PreviewMedia } from './preview-parts.js';
import { previewByIdQuery, previewQuery, revealUrlMutation, type PreviewData } from './preview-query.js';

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
  const { id, url } = preview;
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
              Left-out values are not stored. <Link href={tryHref(url, id)}>Try the URL</Link> to see what is
              left out.
            </Text>
          )}
        </Stack>
      </SimpleGrid>
    </>
  );
}

function Header({ preview }: { preview: PreviewData }) {
  const { id, host, title } = preview;
  const { url, reveal } = useWholeUrl(id, preview.url);
  return (
    <PageHeader
      title={title ?? 'Preview'}
      heading={title === null ? 'No title' : <UntrustedText text={title} max={160} />}
      description={
        <>
          <SafeLink url={url} max={110} /> <CopyButton text={url} what="URL" />{' '}
          {reveal !== null && (
            <Tooltip label="Shows user name and password; this is recorded in Audit">
              <Button size="compact-xs" onClick={() => void reveal()}>
                Reveal
              </Button>
            </Tooltip>
          )}{' '}
          of{' '}
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

/** The address as it is shown, and what reveals the user name and password in it; `null` without any. */
function useWholeUrl(id: string, shown: string): { url: string; reveal: (() => Promise<void>) | null } {
  const [whole, setWhole] = useState<string | null>(null);
  const { mutateAsync } = useChange(revealUrlMutation);
  const attempt = useAttempt();
  const can = useCan();
  const reveal = async () => {
    const payload = await attempt(async () => (await mutateAsync({ id })).revealUrl);
    setWhole(payload?.url ?? null);
  };
  const isHidden = whole === null && isPartHidden(shown) && can('revealUrl');
  return { url: whole ?? shown, reveal: isHidden ? reveal : null };
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
        <Button component={Link} href={tryHref(url, id)}>
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
