import { Button, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useLocation, useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useSession } from '../../session/session-context.js';
import { useCan } from '../../session/viewer-context.js';
import { Fields, PageHeader, Panel } from '../../ui/page.js';
import { TabPages } from '../../ui/tab-pages.js';
import { QueryView, SkeletonLines, StateBadge } from '../../ui/state.js';
import { counted } from '../../ui/text/number-words.js';
import { CopyButton, Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';
import { BlockButton } from '../blocking/block-dialog.js';
import { serverHref } from '../hrefs.js';
import { KeyStateBadge } from '../keys/key-words.js';
import { useRefreshKeys } from '../keys/refresh-keys.js';
import { AlarmBanner } from './alarm.js';
import { DiagnoseTab } from './diagnose-tab.js';
import { EventsTab } from './events-tab.js';
import { FetchesTab } from './fetches-tab.js';
import { RecordsTab } from './records-tab.js';
import { serverQuery, type ServerData } from './server-query.js';

const Timeline = lazy(async () => ({ default: (await import('./timeline-tab.js')).TimelineTab }));

/** All that is known of one server's keys, and the two ways to find out more. */
export function Page() {
  const { server: name } = useParams<{ server: string }>();
  const query = useQuery(serverQuery, { name }, { live: 'list', keepPrevious: false });
  const server = query.data?.server ?? null;
  return (
    <>
      <Header name={name} isName={query.error === null} isKnown={server !== null} />
      <QueryView query={query}>
        {() => (server === null ? <DiagnoseTab name={name} /> : <Known key={server.name} server={server} />)}
      </QueryView>
    </>
  );
}

function Header({ name, isName, isKnown }: { name: string; isName: boolean; isKnown: boolean }) {
  const can = useCan();
  const { publicUrl, pathPrefix } = useSession();
  const [, navigate] = useLocation();
  const refresh = useRefreshKeys();
  const [isRefreshing, setRefreshing] = useState(false);
  const curl = `curl '${publicUrl}${pathPrefix}/key/v2/query/${encodeURIComponent(name)}'`;
  const refreshNow = async () => {
    setRefreshing(true);
    await refresh(name);
    setRefreshing(false);
  };
  return (
    <PageHeader
      title={name}
      back={{ href: '/keys', label: 'Keys' }}
      heading={
        <>
          <UntrustedText text={name} max={70} /> <CopyButton text={name} what="server name" />
        </>
      }
      actions={
        <>
          <Note>
            curl as a peer <CopyButton text={curl} what="curl line of a peer's query" />
          </Note>
          {isName && <BlockButton host={name.replace(/:\d+$/, '')} />}
          {isKnown && can('diagnoseServer') && (
            <Button onClick={() => navigate(serverHref(name, 'diagnose'))}>Diagnose</Button>
          )}
          {can('refreshServerKeys') && isName && (
            <Button variant="filled" loading={isRefreshing} onClick={() => void refreshNow()}>
              Refresh keys
            </Button>
          )}
        </>
      }
    />
  );
}

/** What matters most: an alarm, then failures, then what was known when. */
function firstTab({ needsLook, failureCause, keyCount }: ServerData): string {
  if (needsLook) return 'events';
  return failureCause !== null || keyCount === 0 ? 'fetches' : 'history';
}

function Known({ server }: { server: ServerData }) {
  const { name, keyCount } = server;
  // Chosen once: what is polled must not take away what somebody reads.
  const [first] = useState(() => firstTab(server));
  const timeline = (
    <Suspense fallback={<SkeletonLines />}>
      <Timeline name={name} />
    </Suspense>
  );
  return (
    <Stack gap="sm">
      <AlarmBanner server={server} />
      <Summary server={server} />
      <TabPages
        label="About this server"
        first={first}
        tabs={[
          { value: 'history', label: 'Timeline', page: timeline },
          { value: 'records', label: `Records ${keyCount}`, page: <RecordsTab server={server} /> },
          { value: 'fetches', label: 'Fetches', page: <FetchesTab name={name} /> },
          { value: 'diagnose', label: 'Diagnose', page: <DiagnoseTab name={name} /> },
          { value: 'events', label: 'Events', page: <EventsTab name={name} /> },
        ]}
      />
    </Stack>
  );
}

/** The server in one row: state, lifetime, last fetch, back-off, whether federation is allowed. */
function Summary({ server }: { server: ServerData }) {
  const { worstState, needsLook, lastFetch, failCount, federationAllowed } = server;
  return (
    <Panel>
      <Fields
        items={[
          ['State', <KeyStateBadge key="" state={worstState} alarm={needsLook ? 'server' : null} />],
          ['Valid until', <RelativeTime key="" at={server.validUntil} />],
          ['Next refresh', <RelativeTime key="" at={server.refetchAfter} />],
          [
            'Last fetch',
            lastFetch === null ? (
              'never'
            ) : (
              <>
                {lastFetch.outcome === 'OK' ? 'ok' : 'failed'} <RelativeTime at={lastFetch.startedAt} />
              </>
            ),
          ],
          server.backoffUntil === null
            ? null
            : [
                'Back-off',
                <>
                  {counted(failCount, 'failure')}
                  {failCount > 1 && ' in a row'}, next try <RelativeTime at={server.backoffUntil} />
                </>,
              ],
          [
            'Federation',
            <StateBadge key="" tone={federationAllowed ? 'ok' : 'idle'}>
              {federationAllowed ? 'allowed' : 'not in the whitelist'}
            </StateBadge>,
          ],
        ]}
      />
      {lastFetch !== null && lastFetch.outcome !== 'OK' && lastFetch.message !== null && (
        <Text mt="xs" c="var(--v-bad)">
          Last fetch failed: <UntrustedText text={lastFetch.message} />
        </Text>
      )}
    </Panel>
  );
}
