import type { ReactNode } from 'react';

import { FilterBar } from '../../../ui/filter/filter-bar.js';
import { HOST_HINT, hostPills, subdomainChips } from '../../../ui/filter/host-filter.js';
import { SHAPE, type MemoryView } from './memory-view.js';

/** Search and chips of the memory cache; `children` stand at the end. */
export function MemoryFilters({ view, children }: { view: MemoryView; children: ReactNode }) {
  const { filter, setFilter } = view;
  const setHost = (host: string) => setFilter({ host });
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Part of a URL, or host:example.org state:failed"
      hints={{ host: HOST_HINT }}
      qualifiers={{
        host: (host) => setHost(host.toLowerCase()),
        state: (value) => setFilter({ state: SHAPE.state.parse(value.toUpperCase()) }),
      }}
      pills={hostPills(filter.host, setHost)}
      groups={[
        ...subdomainChips(filter.host, setHost),
        {
          label: 'State',
          value: filter.state,
          options: [
            { value: 'FAILED', label: 'Failed' },
            { value: 'RUNNING', label: 'Being made' },
            { value: 'READY', label: 'Ready' },
          ],
          onChange: (value) => setFilter({ state: SHAPE.state.parse(value) }),
        },
      ]}
    >
      {children}
    </FilterBar>
  );
}
