import { Tabs } from '@mantine/core';
import '@mantine/core/styles/Tabs.css';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';

import { choice } from '../url/params.js';
import { useSearchParams } from '../url/search-params.js';

/** One tab; `page` is drawn when it is open. */
export interface Tab {
  value: string;
  label: ReactNode;
  page: ReactNode;
}

interface TabPagesProps {
  /** Names the tabs for screen readers. */
  label: string;
  tabs: readonly Tab[];
  /** The tab that an address without one opens; default the first. */
  first?: string;
}

/** Tabs that stand in the address bar as `tab`. Filters and cursors of one tab's list mean nothing in another's. */
export function TabPages({ label, tabs, first = tabs[0]?.value ?? '' }: TabPagesProps) {
  const names = tabs.map(({ value }) => value);
  const [{ tab }] = useSearchParams({ tab: choice(names, first) });
  const [location, navigate] = useLocation();
  return (
    <Tabs value={tab} onChange={(value) => value !== null && navigate(`${location}?tab=${value}`)}>
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
