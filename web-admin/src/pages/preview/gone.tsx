import { Button } from '@mantine/core';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { isAtLeast } from '../../shell/nav-items.js';
import type { PreviewGoneQuery } from '../../gql/graphql.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { MemoryStateBadge } from '../previews/memory-state.js';
import { useForgetPreviews } from '../previews/use-forget-previews.js';
import { tryHref } from '../try/try-href.js';
import { goneQuery } from './preview-query.js';
import styles from './preview.module.css';

type GoneData = PreviewGoneQuery;

/** No preview of the address is stored (any more): what memory knows of it, and where deletions are told. */
export function Gone({ url }: { url: string }) {
  const { data } = useQuery(goneQuery, { url }, { live: 'list' });
  const can = useCan();
  const kept = data?.memoryPreviews.nodes.find((entry) => entry.url === url);
  return (
    <>
      <PageHeader
        title="Preview"
        heading={<UntrustedText text={url} max={160} />}
        back={{ href: '/previews', label: 'Previews' }}
      />
      <Panel>
        <EmptyState
          title={
            kept?.state === 'FAILED' ? 'No preview could be made' : 'No preview of this address is stored'
          }
        >
          {data?.checkUrl.blocked === true && <p>{data.checkUrl.message}</p>}
          {kept === undefined ? <NothingKnown /> : <InMemory entry={kept} />}
          <div className={styles.goneActions}>
            {can('tryPreview') && (
              <Button component={Link} href={tryHref(url)} variant="filled">
                Try it
              </Button>
            )}
            <Button component={Link} href={`/previews?q=${encodeURIComponent(url)}`}>
              Search for it
            </Button>
          </div>
        </EmptyState>
      </Panel>
    </>
  );
}

function NothingKnown() {
  const { role } = useViewer();
  const audit = isAtLeast(role, 'OPERATOR') ? <Link href="/access?tab=audit">audit</Link> : 'audit';
  return (
    <p>
      Whether it ever was stored, nobody knows any more. Expired previews go with{' '}
      <Link href="/jobs?job=preview_cleanup">the cleanup</Link>; what operators delete stands in {audit}.
    </p>
  );
}

function InMemory({ entry }: { entry: GoneData['memoryPreviews']['nodes'][number] }) {
  const can = useCan();
  const forget = useForgetPreviews();
  return (
    <div className={styles.remembered}>
      <p>
        <MemoryStateBadge state={entry.state} /> In memory since <RelativeTime at={entry.startedAt} />, until{' '}
        <RelativeTime at={entry.expiresAt} />
        {entry.status !== null && `: clients get ${entry.status}`}
      </p>
      {entry.message !== null && (
        <p>
          <UntrustedText text={entry.message} max={300} />
        </p>
      )}
      {can('forgetMemoryPreviews') && (
        <Button size="xs" onClick={() => void forget([entry.id])}>
          Forget, so that the next client tries again
        </Button>
      )}
    </div>
  );
}
