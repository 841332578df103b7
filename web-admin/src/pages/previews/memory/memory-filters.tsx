import type { ReactNode } from 'react';

import { FilterBar } from '../../../ui/filter/filter-bar.js';
import { HOST_HINT, hostPills, hostQualifier, subdomainChips } from '../../../ui/filter/host-filter.js';
import { nameQualifier } from '../../../ui/filter/qualifiers.js';
import { SHAPE, type MemoryView } from './memory-view.js';

const HINTS = {
  host: HOST_HINT,
  state: 'state:failed, state:running or state:ready; anything else is searched for as words',
};

/** Search and chips of the memory cache; `children` stand at the end. */
export function MemoryFilters({ view, children }: { view: MemoryView; children: ReactNode }) {
  const { filter, setFilter } = view;
  const setHost = (host: string) => setFilter({ host });
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Part of a URL, or host:example.org state:failed"
      hints={HINTS}
      qualifiers={{
        host: hostQualifier(SHAPE.host, setHost),
        state: nameQualifier(SHAPE.state, (state) => setFilter({ state })),
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
