import type { ReactNode } from 'react';
import { Link } from 'wouter';

import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import styles from './site.module.css';

interface Line {
  id: string;
  /** Null where nothing leads there. */
  href: string | null;
  /** Untrusted text. */
  words: string;
  note: ReactNode;
  at: string;
}

interface LatestProps {
  title: string;
  /** Stands beside the title. */
  about: string;
  lines: readonly Line[];
  /** The list with all of them; absent: there is none. */
  allHref?: string;
  /** Said when there is none. */
  none: string;
}

/** The last five of something, and the way to all of them. */
export function Latest({ title, about, lines, allHref, none }: LatestProps) {
  return (
    <Panel
      title={title}
      note={about}
      actions={
        allHref !== undefined && lines.length > 0 && <Link href={allHref}>All {title.toLowerCase()}</Link>
      }
      flush
    >
      {lines.length === 0 ? (
        <EmptyState title={none} isSmall />
      ) : (
        <ul className={styles.list}>
          {lines.map(({ id, href, words, note, at }) => (
            <li key={id}>
              <p className={styles.head}>
                <Subject href={href} words={words} />
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

function Subject({ href, words }: Pick<Line, 'href' | 'words'>) {
  const text = <UntrustedText text={words} max={70} inside={href !== null} />;
  if (href === null) return <span className={styles.subject}>{text}</span>;
  return (
    <Link href={href} className={styles.subject}>
      {text}
    </Link>
  );
}
