import { Button } from '@mantine/core';

import { useCan } from '../../session/viewer-context.js';
import { Fields } from '../../ui/page/fields.js';
import { Panel } from '../../ui/page/panel.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { counted } from '../../ui/text/counted.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { MemoryStateBadge } from '../previews/memory-state.js';
import { useForgetPreviews } from '../previews/use-forget-previews.js';
import type { PreviewData } from './preview-query.js';
import styles from './preview.module.css';

/** The two caches, each with its own expiry: the store of all instances, and the memory of this one. */
export function Caches({ preview }: { preview: PreviewData }) {
  return (
    <Panel title="Caches">
      <div className={styles.caches}>
        <section>
          <h3 className={styles.cacheName}>
            Stored
            <StateBadge tone={preview.state === 'FRESH' ? 'ok' : 'warn'}>
              {preview.state.toLowerCase()}
            </StateBadge>
          </h3>
          <Fields
            items={[
              ['Stored', <RelativeTime key="stored" at={preview.createdAt} />],
              ['Expires', <RelativeTime key="expires" at={preview.expiresAt} />],
              ['Status of the page', preview.responseCode],
              preview.etag === null
                ? null
                : ['ETag', <UntrustedText key="etag" text={preview.etag} mono max={40} />],
            ]}
          />
        </section>
        <InMemory entry={preview.inMemory} />
        <p className={styles.small}>
          Memory answers first. Chat clients keep failures for the life of their page: after a change here,
          users must reload.
        </p>
      </div>
    </Panel>
  );
}

function InMemory({ entry }: { entry: PreviewData['inMemory'] }) {
  const can = useCan();
  const forget = useForgetPreviews();
  if (entry === null)
    return (
      <section>
        <h3 className={styles.cacheName}>
          In memory <StateBadge tone="idle">no</StateBadge>
        </h3>
        <p className={styles.small}>The next client gets the stored one.</p>
      </section>
    );
  return (
    <section>
      <h3 className={styles.cacheName}>
        In memory <MemoryStateBadge state={entry.state} />
        {can('forgetMemoryPreviews') && (
          <Button size="compact-xs" className={styles.end} onClick={() => void forget([entry.id])}>
            Forget
          </Button>
        )}
      </h3>
      <Fields
        items={[
          ['Made', <RelativeTime key="made" at={entry.startedAt} />],
          ['Expires', <RelativeTime key="expires" at={entry.expiresAt} />],
          ['Asked', counted(entry.hits, 'time')],
          entry.message === null
            ? null
            : [
                'Answer',
                <UntrustedText key="answer" text={`${entry.status ?? ''} ${entry.message}`} max={200} />,
              ],
        ]}
      />
    </section>
  );
}
