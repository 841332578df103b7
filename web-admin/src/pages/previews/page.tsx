import { Tabs } from '@mantine/core';
import { useLocation } from 'wouter';

import { PageHeader } from '../../ui/page/page-header.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { MediaTab } from '../media/media-tab.js';
import { TryTab } from '../try/try-tab.js';
import { MemoryTab } from './memory/memory-tab.js';
import { RefusedTab } from './refused/refused-tab.js';
import { StoredTab } from './stored/stored-tab.js';

const SHAPE = { tab: choice(['stored', 'memory', 'refused', 'media', 'try'], 'stored') };

/** Previews in the store and in memory, refused addresses, stored media, and a try. */
export function Page() {
  const [{ tab }] = useSearchParams(SHAPE);
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title="Previews" description="What chat clients get for links." />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => navigate(value === 'stored' ? '/previews' : `/previews?tab=${value}`)}
      >
        <Tabs.List aria-label="Which previews">
          <Tabs.Tab value="stored">Stored</Tabs.Tab>
          <Tabs.Tab value="memory">In memory</Tabs.Tab>
          <Tabs.Tab value="refused">Refused</Tabs.Tab>
          <Tabs.Tab value="media">Media</Tabs.Tab>
          <Tabs.Tab value="try">Try</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="stored">
          <StoredTab />
        </Tabs.Panel>
        <Tabs.Panel value="memory">
          <MemoryTab />
        </Tabs.Panel>
        <Tabs.Panel value="refused">
          <RefusedTab />
        </Tabs.Panel>
        <Tabs.Panel value="media">
          <MediaTab />
        </Tabs.Panel>
        <Tabs.Panel value="try">
          <TryTab />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
