import { Link } from 'wouter';

import { ToneIcon } from '../../ui/state/state-badge.js';
import type { Column } from '../../ui/table/table-types.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { CAUSE_WORDS } from './cause-words.js';
import type { ServerRow } from './keys-query.js';
import { serverHref } from './server-href.js';
import { KeyStateBadge } from './server-state.js';
import styles from './keys.module.css';

function Name({ server }: { server: ServerRow }) {
  return (
    <span className={styles.name}>
      <Link href={serverHref(server.name)}>
        <UntrustedText text={server.name} inside />
      </Link>
      {!server.federationAllowed && <span className={styles.notAllowed}>not allowed</span>}
    </span>
  );
}

/** Why it failed stands before how often. */
function LastFetch({ server }: { server: ServerRow }) {
  const { lastFetch, failCount, failureCause } = server;
  if (lastFetch === null) return <RelativeTime at={null} none="never" />;
  const isOk = lastFetch.outcome === 'OK';
  return (
    <span className={styles.fetch}>
      <ToneIcon tone={isOk ? 'ok' : 'bad'} />
      <span className={styles.why}>
        {isOk ? 'ok' : failureCause === null ? 'failed' : CAUSE_WORDS[failureCause]}{' '}
        <span className={styles.often}>
          {!isOk && failCount > 1 && `${failCount}×, `}
          <RelativeTime at={lastFetch.startedAt} />
        </span>
      </span>
    </span>
  );
}

/** Columns of the servers' list. */
export const COLUMNS: readonly Column<ServerRow>[] = [
  {
    id: 'name',
    title: 'Server',
    sort: 'NAME',
    isMain: true,
    cell: (server) => <Name server={server} />,
  },
  {
    id: 'state',
    title: 'State',
    width: '124px',
    cell: (server) => <KeyStateBadge state={server.worstState} alarm={server.needsLook ? 'server' : null} />,
  },
  { id: 'keys', title: 'Keys', align: 'end', width: '54px', cell: (server) => server.keyCount },
  {
    id: 'validUntil',
    title: 'Valid until',
    sort: 'VALID_UNTIL',
    width: '96px',
    cell: (server) => <RelativeTime at={server.validUntil} />,
  },
  {
    id: 'refetch',
    title: 'Next refresh',
    width: '96px',
    cell: (server) => <RelativeTime at={server.backoffUntil ?? server.refetchAfter} />,
  },
  {
    id: 'lastFetch',
    title: 'Last fetch',
    sort: 'LAST_FETCH',
    width: '200px',
    cell: (server) => <LastFetch server={server} />,
  },
  {
    id: 'added',
    title: 'Added',
    sort: 'ADDED_AT',
    width: '96px',
    cell: (server) => <RelativeTime at={server.addedAt} />,
  },
];
