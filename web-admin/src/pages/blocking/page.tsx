import { Tabs } from '@mantine/core';

import { PageHeader } from '../../ui/page/page-header.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { CheckTab } from './check-tab.js';
import { HitsTab } from './hits/hits-tab.js';
import { RulesTab } from './rules/rules-tab.js';

const SHAPE = { tab: choice(['rules', 'hits', 'check'], 'rules') };

/** What is refused and why: the rules, what they refused, and what they would refuse. */
export function Page() {
  const [{ tab }, change] = useSearchParams(SHAPE);
  return (
    <>
      <PageHeader title="Blocking" description="What previews never fetch, and whose keys may be fetched." />
      <Tabs value={tab} onChange={(value) => change({ tab: SHAPE.tab.parse(value) }, { push: true })}>
        <Tabs.List aria-label="About blocking">
          <Tabs.Tab value="rules">Rules</Tabs.Tab>
          <Tabs.Tab value="hits">Hits</Tabs.Tab>
          <Tabs.Tab value="check">Check a URL</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="rules">{tab === 'rules' && <RulesTab />}</Tabs.Panel>
        <Tabs.Panel value="hits">{tab === 'hits' && <HitsTab />}</Tabs.Panel>
        <Tabs.Panel value="check">{tab === 'check' && <CheckTab />}</Tabs.Panel>
      </Tabs>
    </>
  );
}
