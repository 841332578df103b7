import { Fields } from '../../ui/page/fields.js';
import { Panel } from '../../ui/page/panel.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { counted } from '../../ui/text/counted.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { KeyStateBadge } from '../keys/server-state.js';
import type { ServerData } from './server-query.js';
import styles from './server.module.css';

/** The server in one row: state, lifetime, last fetch, back-off, whether federation is allowed. */
export function ServerSummary({ server }: { server: ServerData }) {
  const { federationAllowed } = server;
  return (
    <Panel>
      <Fields
        items={[
          [
            'State',
            <KeyStateBadge
              key="state"
              state={server.worstState}
              alarm={server.needsLook ? 'server' : null}
            />,
          ],
          ['Valid until', <RelativeTime key="until" at={server.validUntil} />],
          ['Next refresh', <RelativeTime key="refetch" at={server.refetchAfter} />],
          ['Last fetch', <LastFetch key="fetch" fetch={server.lastFetch} />],
          server.backoffUntil === null
            ? null
            : ['Back-off', <BackOff key="backoff" failures={server.failCount} until={server.backoffUntil} />],
          [
            'Federation',
            <StateBadge key="allowed" tone={federationAllowed ? 'ok' : 'idle'}>
              {federationAllowed ? 'allowed' : 'not allowed by the list'}
            </StateBadge>,
          ],
        ]}
      />
      <Failure fetch={server.lastFetch} />
    </Panel>
  );
}

function LastFetch({ fetch }: { fetch: ServerData['lastFetch'] }) {
  if (fetch === null) return 'never';
  const { outcome, startedAt } = fetch;
  return (
    <span>
      {outcome === 'OK' ? 'ok ' : 'failed '}
      <RelativeTime at={startedAt} />
    </span>
  );
}

/** Why the last fetch failed: too long for a column. */
function Failure({ fetch }: { fetch: ServerData['lastFetch'] }) {
  if (fetch === null || fetch.outcome === 'OK' || fetch.message === null) return null;
  return (
    <p className={styles.failure}>
      It failed: <UntrustedText text={fetch.message} />
    </p>
  );
}

function BackOff({ failures, until }: { failures: number; until: string }) {
  return (
    <span>
      {counted(failures, 'failure')}
      {failures > 1 && ' in a row'}, next try <RelativeTime at={until} />
    </span>
  );
}
