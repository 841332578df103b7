import { Button, Group } from '@mantine/core';
import { Link } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useCan, useViewer } from '../../session/viewer-context.js';
import { mayOpen } from '../../shell/nav-items.js';
import { PageHeader } from '../../ui/page.js';
import { EmptyState } from '../../ui/state.js';
import { UntrustedText } from '../../ui/text/text.js';
import { tryHref } from '../hrefs.js';
import { goneQuery } from './preview-query.js';

const AUDIT = '/access?tab=audit';

/** No preview of the address is stored (any more). */
export function Gone({ url }: { url: string }) {
  const { data } = useQuery(goneQuery, { url }, { live: 'list' });
  const can = useCan();
  const { role } = useViewer();
  return (
    <>
      <PageHeader
        title="Preview"
        heading={<UntrustedText text={url} max={160} />}
        back={{ href: '/previews', label: 'Previews' }}
      />
      <EmptyState title="No preview of this address is stored">
        {data?.checkUrl.blocked === true && <p>{data.checkUrl.message}</p>}
        <p>
          It may never have been stored. Expired previews are deleted by{' '}
          <Link href="/jobs?job=preview_cleanup">the cleanup</Link>; deletions by operators are listed in{' '}
          {mayOpen(role, AUDIT) ? <Link href={AUDIT}>the audit log</Link> : 'the audit log'}.
        </p>
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
