import { Link } from 'wouter';

import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { counted } from '../../ui/text/counted.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { previewHref } from '../previews/preview-href.js';
import type { MediaItemData } from './media-item-query.js';
import styles from './media-item.module.css';

/** The stored previews that need this media. */
export function UsedBy({ media: { previews } }: { media: MediaItemData }) {
  const { nodes, totalCount } = previews;
  const more = totalCount - nodes.length;
  return (
    <Panel title="Used by" note={nodes.length === 0 ? undefined : counted(totalCount, 'stored preview')}>
      {nodes.length === 0 ? (
        <EmptyState title="No stored preview uses it" isSmall>
          Its preview has expired or was deleted. Messages may still show it until it is deleted.
        </EmptyState>
      ) : (
        <ul className={styles.users}>
          {nodes.map((preview) => (
            <li key={preview.id}>
              <Link href={previewHref(preview)}>
                <UntrustedText text={preview.title ?? preview.url} max={80} inside />
              </Link>
              <span className={styles.quiet}>
                <UntrustedText text={preview.url} max={60} /> · expires{' '}
                <RelativeTime at={preview.expiresAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p className={styles.quiet}>and {more.toLocaleString('en')} more</p>}
    </Panel>
  );
}
