import { PageHeader } from '../../ui/page.js';
import { TabPages } from '../../ui/tab-pages.js';
import { EventsTab } from './events-tab.js';
import { ServersTab } from './servers-tab.js';

/** Servers whose keys are stored, and what happened to their keys. */
export function Page() {
  return (
    <>
      <PageHeader title="Keys" description="Signing keys of other servers, and what happened to them." />
      <TabPages
        label="Servers or events"
        tabs={[
          { value: 'servers', label: 'Servers', page: <ServersTab /> },
          { value: 'events', label: 'Events', page: <EventsTab /> },
        ]}
      />
    </>
  );
}
