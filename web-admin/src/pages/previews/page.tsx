import { Button, Tabs } from '@mantine/core';
import { Link, useLocation } from 'wouter';

import { useCan } from '../../session/viewer-context.js';
import { PageHeader } from '../../ui/page/page-header.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { MemoryTab } from './memory/memory-tab.js';
import { RefusedTab } from './refused/refused-tab.js';
import { StoredTab } from './stored/stored-tab.js';

const SHAPE = { tab: choice(['stored', 'memory', 'refused'], 'stored') };

/** Previews as stored for all instances, as each keeps them in memory, and what this one refused unread. */
export function Page() {
  const [{ tab }] = useSearchParams(SHAPE);
  const [, navigate] = useLocation();
  const can = useCan();
  return (
    <>
      <PageHeader
        title="Previews"
        description="What chat clients get for links, from the store and from memory."
        actions={
          can('tryPreview') && (
            <Button component={Link} href="/try" variant="filled">
              Try a preview
            </Button>
          )
        }
      />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(value) => navigate(value === 'stored' ? '/previews' : `/previews?tab=${value}`)}
      >
        <Tabs.List aria-label="Which previews">
          <Tabs.Tab value="stored">Stored</Tabs.Tab>
          <Tabs.Tab value="memory">In memory</Tabs.Tab>
          <Tabs.Tab value="refused">Refused</Tabs.Tab>
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
      </Tabs>
    </>
  );
}
