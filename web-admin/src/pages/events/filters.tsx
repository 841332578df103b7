import { NativeSelect } from '@mantine/core';

import type { ChipGroup } from '../../ui/filter/chips.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { subdomainChips } from '../../ui/filter/host-filter.js';
import { qualifier } from '../../ui/filter/qualifiers.js';
import { SERVER_HINT, serverPills } from '../../ui/filter/server-filter.js';
import { TimeRange } from '../../ui/filter/time-range.js';
import { KINDS, KIND_WORDS, SHAPE, type EventsView } from './events-view.js';

function groupsOf({ filter, setFilter }: EventsView): ChipGroup[] {
  const { server, acknowledged } = filter;
  return [
    ...subdomainChips(server, (pattern) => setFilter({ server: pattern })),
    {
      label: 'Alarm',
      value: acknowledged === null ? null : acknowledged ? 'yes' : 'no',
      options: [
        { value: 'no', label: 'Unacknowledged' },
        { value: 'yes', label: 'Acknowledged' },
      ],
      onChange: (value) => setFilter({ acknowledged: value === null ? null : value === 'yes' }),
    },
  ];
}

/** Server, kind, time, and whether somebody has acknowledged it. */
export function EventsFilters({ view }: { view: EventsView }) {
  const { filter, setFilter } = view;
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Server name, or server:"
      qualifiers={{ server: qualifier(SHAPE.server, (server) => setFilter({ server })) }}
      hints={{ server: SERVER_HINT }}
      pills={serverPills(filter.server, (server) => setFilter({ server }))}
      groups={groupsOf(view)}
    >
      <NativeSelect
        aria-label="Kind"
        value={filter.kind ?? ''}
        data={[
          { value: '', label: 'All kinds' },
          ...KINDS.map((kind) => ({ value: kind, label: KIND_WORDS[kind] })),
        ]}
        onChange={(event) => setFilter({ kind: SHAPE.kind.parse(event.currentTarget.value) })}
      />
      <TimeRange label="Seen" value={filter} onChange={({ from, to }) => setFilter({ from, to })} />
    </FilterBar>
  );
}
