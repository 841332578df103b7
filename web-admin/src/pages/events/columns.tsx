import { Link } from 'wouter';

import { StateBadge } from '../../ui/state/state-badge.js';
import type { Column } from '../../ui/table/table-types.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { serverHref } from '../keys/server-href.js';
import { Acknowledged } from './acknowledged.js';
import { KIND_WORDS } from './events-view.js';
import type { EventRow } from './events-query.js';
import styles from './events.module.css';

const TONES = { INFO: 'idle', WARNING: 'warn', ALERT: 'bad' } as const;

/** The page of a server, at what happened to its keys. */
export function eventsHref(serverName: string): string {
  return `${serverHref(serverName)}?tab=events`;
}

function Kind({ event: { kind, severity, acknowledgement } }: { event: EventRow }) {
  const tone = acknowledgement !== null ? 'idle' : TONES[severity];
  return (
    <span className={styles.kind}>
      <StateBadge tone={tone}>{KIND_WORDS[kind]}</StateBadge>
      <Acknowledged by={acknowledgement} />
    </span>
  );
}

/** Columns of the list. */
export const COLUMNS: readonly Column<EventRow>[] = [
  { id: 'at', title: 'Seen', width: '120px', cell: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'server',
    title: 'Server',
    isMain: true,
    width: '26%',
    cell: ({ server: { name } }) => (
      <span className={styles.long}>
        <Link href={eventsHref(name)}>
          <UntrustedText text={name} inside />
        </Link>
      </span>
    ),
  },
  { id: 'kind', title: 'Kind', width: '200px', cell: (event) => <Kind event={event} /> },
  {
    id: 'message',
    title: 'What happened',
    isLong: true,
    cell: ({ message }) => (
      <span className={styles.long}>
        <UntrustedText text={message} />
      </span>
    ),
  },
];
