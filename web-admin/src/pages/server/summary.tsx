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
  const { lastFetch, backoffUntil, failCount } = server;
  return (
    <Panel>
      <Fields
        items={[
          ['State', <KeyStateBadge key="state" state={server.worstState} />],
          ['Valid until', <RelativeTime key="until" at={server.validUntil} />],
          ['Refetched', <RelativeTime key="refetch" at={server.refetchAfter} />],
          [
            'Last fetch',
            lastFetch === null ? (
              'never'
            ) : (
              <span key="fetch">
                {lastFetch.outcome === 'OK' ? 'ok ' : 'failed '}
                <RelativeTime at={lastFetch.startedAt} />
                {lastFetch.message !== null && lastFetch.outcome !== 'OK' && (
                  <>
                    : <UntrustedText text={lastFetch.message} max={120} />
                  </>
                )}
              </span>
            ),
          ],
          backoffUntil === null
            ? null
            : [
                'Back-off',
                <span key="backoff">
                  {counted(failCount, 'failure')}
                  {failCount > 1 && ' in a row'}, next try <RelativeTime at={backoffUntil} />
                </span>,
              ],
          [
            'Federation',
            <StateBadge key="allowed" tone={server.federationAllowed ? 'ok' : 'idle'}>
              {server.federationAllowed ? 'allowed' : 'not allowed by the list'}
            </StateBadge>,
          ],
        ]}
      />
    </Panel>
  );
}
