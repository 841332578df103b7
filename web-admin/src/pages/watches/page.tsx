import { Tabs } from '@mantine/core';

import { useCan } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { DeliveriesTab } from './deliveries-tab.js';
import { RulesTab } from './rules-tab.js';

const SHAPE = { tab: choice(['rules', 'deliveries'], 'rules') };

/** Who is told of which keys, which keys are pinned, and what other notaries are asked. */
export function Page() {
  const [{ tab }, change] = useSearchParams(SHAPE);
  // Who may send a test may see what was sent.
  const maySeeDeliveries = useCan()('testWebhook');
  return (
    <>
      <PageHeader
        title="Watches"
        description="Who is told of the keys of which servers, which keys are pinned, and which other notaries are asked."
      />
      <Tabs value={tab} onChange={(value) => change({ tab: SHAPE.tab.parse(value) }, { push: true })}>
        <Tabs.List aria-label="About watches">
          <Tabs.Tab value="rules">Watches and pins</Tabs.Tab>
          {maySeeDeliveries && <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="rules">{tab === 'rules' && <RulesTab />}</Tabs.Panel>
        <Tabs.Panel value="deliveries">
          {tab === 'deliveries' && maySeeDeliveries && <DeliveriesTab />}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
