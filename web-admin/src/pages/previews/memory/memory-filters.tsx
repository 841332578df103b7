import type { ReactNode } from 'react';

import { FilterBar } from '../../../ui/filter/filter-bar.js';
import { SHAPE, type MemoryView } from './memory-view.js';

/** Search and chips of the memory cache; `children` stand at the end. */
export function MemoryFilters({ view, children }: { view: MemoryView; children: ReactNode }) {
  const { filter, setFilter } = view;
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Part of a URL, or state:failed"
      qualifiers={{ state: (value) => setFilter({ state: SHAPE.state.parse(value.toUpperCase()) }) }}
      groups={[
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
