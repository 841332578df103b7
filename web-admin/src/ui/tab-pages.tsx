import { Tabs } from '@mantine/core';
import '@mantine/core/styles/Tabs.css';
import type { ReactNode } from 'react';

import { choice, text } from '../url/params.js';
import { useSearchParams } from '../url/search-params.js';

/** One tab; `page` is drawn when it is open. */
export interface Tab {
  value: string;
  label: ReactNode;
  page: ReactNode;
}

const AFTER = { after: text() };

interface TabPagesProps {
  /** Names the tabs for screen readers. */
  label: string;
  tabs: readonly Tab[];
  /** The tab that an address without one opens; default the first. */
  first?: string;
  /** Called in place of a change of the address bar alone, for tabs whose lists have filters of their own. */
  onTab?: (value: string) => void;
}

/** Tabs that stand in the address bar as `tab`. */
export function TabPages({ label, tabs, first = tabs[0]?.value ?? '', onTab }: TabPagesProps) {
  const names = tabs.map(({ value }) => value);
  const [{ tab }, change] = useSearchParams({ tab: choice(names, first), ...AFTER });
  const open = (value: string | null) => {
    if (value === null) return;
    if (onTab !== undefined) onTab(value);
    // A cursor of one tab's list means nothing in another's. Written even when it is the first one: that may change.
    else change({ tab: value, after: '' }, { push: true });
  };
  return (
    <Tabs value={tab} onChange={open}>
      <Tabs.List aria-label={label}>
        {tabs.map(({ value, label: name }) => (
          <Tabs.Tab key={value} value={value}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ value, page }) => (
        <Tabs.Panel key={value} value={value}>
          {page}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
