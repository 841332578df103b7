import { Button, Tabs } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { useParams } from 'wouter';

import { useQuery } from '../../api/use-query.js';
import { useSession } from '../../session/session-context.js';
import { useCan } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { QueryView } from '../../ui/state/query-view.js';
import { SkeletonLines } from '../../ui/state/section.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { UntrustedText } from '../../ui/text/untrusted-text.js';
import { oneOf, text } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { DiagnoseTab } from './diagnose/diagnose-tab.js';
import { AlarmBanner } from './alarm/alarm-banner.js';
import { EventsTab } from './events-tab.js';
import { FetchesTab } from './fetches/fetches-tab.js';
import { RecordsTab } from './records/records-tab.js';
import { RefreshDialog } from './refresh-dialog.js';
import { serverQuery, type ServerData } from './server-query.js';
import { brokenNameRule } from './diagnose/server-name-rule.js';
import { ServerSummary } from './summary.js';
import { UnknownServer } from './diagnose/unknown-server.js';
import styles from './server.module.css';

const LazyHistory = lazy(async () => ({ default: (await import('./history/history-tab.js')).HistoryTab }));

const TABS = ['records', 'history', 'fetches', 'diagnose', 'events'] as const;
const SHAPE = { tab: oneOf(TABS), after: text() };

/** All that is known of one server's keys, and the two ways to find out more. */
export function Page() {
  const { server: name } = useParams<{ server: string }>();
  const query = useQuery(serverQuery, { name }, { live: 'list' });
  return (
    <>
      <Header name={name} isKnown={(query.data?.server ?? null) !== null} />
      <QueryView query={query}>
        {({ server }) => (server === null ? <UnknownServer name={name} /> : <Known server={server} />)}
      </QueryView>
    </>
  );
}

function Header({ name, isKnown }: { name: string; isKnown: boolean }) {
  const can = useCan();
  const { publicUrl, pathPrefix } = useSession();
  const [refreshing, setRefreshing] = useState(false);
  const [, change] = useSearchParams(SHAPE);
  const curl = `curl '${publicUrl}${pathPrefix}/key/v2/query/${encodeURIComponent(name)}'`;
  return (
    <>
      <PageHeader
        title={name}
        back={{ href: '/keys', label: 'Keys' }}
        heading={
          <>
            <UntrustedText text={name} /> <CopyButton text={name} what="server name" />
          </>
        }
        actions={
          <>
            <span className={styles.curl}>
              curl as a peer <CopyButton text={curl} what="curl line of a peer's query" />
            </span>
            {isKnown && can('diagnoseServer') && (
              <Button onClick={() => change({ tab: 'diagnose', after: '' }, { push: true })}>Diagnose</Button>
            )}
            {can('refreshServerKeys') && brokenNameRule(name) === null && (
              <Button variant="filled" onClick={() => setRefreshing(true)}>
                Refresh keys
              </Button>
            )}
          </>
        }
      />
      <RefreshDialog name={name} opened={refreshing} onClose={() => setRefreshing(false)} />
    </>
  );
}

/** Loaded when it is first opened. */
function HistoryTab({ name }: { name: string }) {
  return (
    <Suspense fallback={<SkeletonLines />}>
      <LazyHistory name={name} />
    </Suspense>
  );
}

function TabList({ records }: { records: number }) {
  return (
    <Tabs.List aria-label="About this server">
      <Tabs.Tab value="records">
        Records <span className={styles.count}>{records}</span>
      </Tabs.Tab>
      <Tabs.Tab value="history">History</Tabs.Tab>
      <Tabs.Tab value="fetches">Fetches</Tabs.Tab>
      <Tabs.Tab value="diagnose">Diagnose</Tabs.Tab>
      <Tabs.Tab value="events">Events</Tabs.Tab>
    </Tabs.List>
  );
}

/** What matters most: an alarm, then failures, then what is stored. */
function firstTab({ needsLook, failureCause, records }: ServerData): (typeof TABS)[number] {
  if (needsLook) return 'events';
  if (failureCause !== null) return 'fetches';
  return records.totalCount === 0 ? 'fetches' : 'records';
}

function Known({ server }: { server: ServerData }) {
  const [{ tab: named }, change] = useSearchParams(SHAPE);
  // Chosen once: what is polled must not take away what somebody reads.
  const [first] = useState(() => firstTab(server));
  const tab = named ?? first;
  return (
    <>
      <AlarmBanner server={server} />
      <ServerSummary server={server} />
      <Tabs
        className={styles.tabs}
        value={tab}
        // A cursor of one tab's list means nothing in another's.
        onChange={(value) => change({ tab: SHAPE.tab.parse(value), after: '' }, { push: true })}
      >
        <TabList records={server.records.totalCount} />
        <Tabs.Panel value="records">
          <RecordsTab server={server} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryTab name={server.name} />
        </Tabs.Panel>
        <Tabs.Panel value="fetches">
          <FetchesTab name={server.name} />
        </Tabs.Panel>
        <Tabs.Panel value="diagnose">
          <DiagnoseTab name={server.name} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventsTab name={server.name} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
