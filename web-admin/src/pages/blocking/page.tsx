import { PageHeader } from '../../ui/page.js';
import { TabPages } from '../../ui/tab-pages.js';
import { CheckTab } from './check-tab.js';
import { HitsTab } from './hits-tab.js';
import { RulesTab } from './rules-tab.js';

/** What is refused and why: the rules, what they refused, and what they would refuse. */
export function Page() {
  return (
    <>
      <PageHeader title="Blocking" description="What previews never fetch, and whose keys may be fetched." />
      <TabPages
        label="About blocking"
        tabs={[
          { value: 'rules', label: 'Rules', page: <RulesTab /> },
          { value: 'hits', label: 'Hits', page: <HitsTab /> },
          { value: 'check', label: 'Check a URL', page: <CheckTab /> },
        ]}
      />
    </>
  );
}
