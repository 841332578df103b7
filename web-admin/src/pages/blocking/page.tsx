import { PageHeader } from '../../ui/page.js';
import { TabPages } from '../../ui/tab-pages.js';
import { HitsTab } from './hits-tab.js';
import { RulesTab } from './rules-tab.js';

/** What is refused and why: the rules, and what they refused. */
export function Page() {
  return (
    <>
      <PageHeader title="Blocking" description="What previews never fetch, and whose keys may be fetched." />
      <TabPages
        label="About blocking"
        tabs={[
          { value: 'rules', label: 'Rules', page: <RulesTab /> },
          { value: 'hits', label: 'Hits', page: <HitsTab /> },
        ]}
      />
    </>
  );
}
