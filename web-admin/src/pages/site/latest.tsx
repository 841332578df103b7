import type { ReactNode } from 'react';
import { Link } from 'wouter';

import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import type { TotalLike } from '../../ui/table/table-types.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { countWords } from './count-words.js';
import styles from './site.module.css';

interface Line {
  id: string;
  href: string;
  /** Untrusted text. */
  words: string;
  note: ReactNode;
  at: string;
}

interface LatestProps {
  title: string;
  total: TotalLike;
  lines: readonly Line[];
  /** The list with all of them. */
  allHref: string;
  /** Said when there is none. */
  none: string;
}

/** The last five of something, and the way to all of them. */
export function Latest({ title, total, lines, allHref, none }: LatestProps) {
  return (
    <Panel
      title={title}
      note={countWords(total)}
      actions={lines.length > 0 && <Link href={allHref}>All {title.toLowerCase()}</Link>}
      flush
    >
      {lines.length === 0 ? (
        <EmptyState title={none} isSmall />
      ) : (
        <ul className={styles.list}>
          {lines.map(({ id, href, words, note, at }) => (
            <li key={id}>
              <p className={styles.head}>
                <Link href={href} className={styles.subject}>
                  <UntrustedText text={words} max={70} inside />
                </Link>
                <RelativeTime at={at} />
              </p>
              <p className={styles.note}>{note}</p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
