import { Button, Group } from '@mantine/core';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import type { PreviewGoneQuery } from '../../gql/graphql.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { mayOpen } from '../../shell/nav-items.js';
import { PageHeader } from '../../ui/page.js';
import { EmptyState, StateOf } from '../../ui/state.js';
import { RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { tryHref } from '../hrefs.js';
import { MEMORY_STATES, useForgetPreviews } from '../previews/preview-actions.js';
import { goneQuery } from './preview-query.js';

const AUDIT = '/access?tab=audit';

/** No preview of the address is stored (any more): what memory knows of it, and where deletions are listed. */
export function Gone({ url }: { url: string }) {
  const { data } = useQuery(goneQuery, { url }, { live: 'list' });
  const can = useCan();
  const { role } = useViewer();
  const kept = data?.memoryPreviews.nodes.find((entry) => entry.url === url);
  return (
    <>
      <PageHeader
        title="Preview"
        heading={<UntrustedText text={url} max={160} />}
        back={{ href: '/previews', label: 'Previews' }}
      />
      <EmptyState
        title={kept?.state === 'FAILED' ? 'No preview could be made' : 'No preview of this address is stored'}
      >
        {data?.checkUrl.blocked === true && <p>{data.checkUrl.message}</p>}
        {kept === undefined ? (
          <p>
            It may never have been stored. Expired previews are deleted by{' '}
            <Link href="/jobs?job=preview_cleanup">the cleanup</Link>; deletions by operators are listed in{' '}
            {mayOpen(role, AUDIT) ? <Link href={AUDIT}>audit</Link> : 'audit'}.
          </p>
        ) : (
          <InMemory entry={kept} />
        )}
        <Group justify="center" mt="sm">
          {can('tryPreview') && (
            <Button component={Link} href={tryHref(url)} variant="filled">
              Try it
            </Button>
          )}
          <Button component={Link} href={`/previews?q=${encodeURIComponent(url)}`}>
            Search for it
          </Button>
        </Group>
      </EmptyState>
    </>
  );
}

function InMemory({ entry }: { entry: PreviewGoneQuery['memoryPreviews']['nodes'][number] }) {
  const can = useCan();
  const forget = useForgetPreviews();
  const { id, state, startedAt, expiresAt, status, message } = entry;
  return (
    <>
      <StateOf state={state} of={MEMORY_STATES} /> In memory since <RelativeTime at={startedAt} />, until{' '}
      <RelativeTime at={expiresAt} />
      {status !== null && `: clients get ${status}`}{' '}
      {message !== null && <UntrustedText text={message} max={300} />}{' '}
      {can('forgetMemoryPreviews') && (
        <Button onClick={() => void forget([id])}>Forget, so that the next client tries again</Button>
      )}
    </>
  );
}
