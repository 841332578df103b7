import { Tabs } from '@mantine/core';
import { useLocation } from 'wouter';

import { PageHeader } from '../../ui/page/page-header.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { EventsTab } from '../events/events-tab.js';
import { FailureGroups } from './failure-groups.js';
import { KeysFilters } from './filters.js';
import { useKeysView } from './keys-view.js';
import { ServersTable } from './servers-table.js';

const SHAPE = { tab: choice(['servers', 'events'], 'servers') };

/** Servers whose keys are stored, and what happened to their keys. */
export function Page() {
  const [{ tab }] = useSearchParams(SHAPE);
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title="Keys" description="Signing keys of other servers, and what happened to them." />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => navigate(value === 'servers' ? '/keys' : '/keys?tab=events')}
      >
        <Tabs.List aria-label="Servers or events">
          <Tabs.Tab value="servers">Servers</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="servers">
          <Servers />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <EventsTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** Every server with the worst state of its records and how the last fetch went. */
function Servers() {
  const view = useKeysView();
  return (
    <>
      <FailureGroups />
      <KeysFilters view={view} />
      <ServersTable view={view} />
    </>
  );
}
