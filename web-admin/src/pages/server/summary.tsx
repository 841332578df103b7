import { Fields } from '../../ui/page/fields.js';
import { Panel } from '../../ui/page/panel.js';
import { StateBadge } from '../../ui/state/state-badge.js';
import { counted } from '../../ui/text/counted.js';
import { RelativeTime } from '../../ui/text/relative-time.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { KeyStateBadge } from '../keys/server-state.js';
import type { ServerData } from './server-query.js';

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
          ['Refetched', <RelativeTime key="refetch" at={server.refetchAfter} />],
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
    </Panel>
  );
}

function LastFetch({ fetch }: { fetch: ServerData['lastFetch'] }) {
  if (fetch === null) return 'never';
  const { outcome, startedAt, message } = fetch;
  return (
    <span>
      {outcome === 'OK' ? 'ok ' : 'failed '}
      <RelativeTime at={startedAt} />
      {message !== null && outcome !== 'OK' && (
        <>
          : <UntrustedText text={message} />
        </>
      )}
    </span>
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
