import { NativeSelect } from '@mantine/core';

import type { ChipGroup } from '../../ui/filter/chips.js';
import { FilterBar } from '../../ui/filter/filter-bar.js';
import { hostWords, subdomainChips } from '../../ui/filter/host-filter.js';
import { TimeRange } from '../../ui/filter/time-range.js';
import { KINDS, KIND_WORDS, SHAPE, type EventsView } from './events-view.js';

const SERVER_HINT =
  'server:example.org is that server, server:*.example.org those below it, server:.example.org both';

function groupsOf({ filter, setFilter }: EventsView): ChipGroup[] {
  const { server, acknowledged } = filter;
  return [
    ...subdomainChips(server, (pattern) => setFilter({ server: pattern })),
    {
      label: 'Alarm',
      value: acknowledged === null ? null : acknowledged ? 'yes' : 'no',
      options: [
        { value: 'no', label: 'Waiting alarms' },
        { value: 'yes', label: 'Acknowledged' },
      ],
      onChange: (value) => setFilter({ acknowledged: value === null ? null : value === 'yes' }),
    },
  ];
}

function pillsOf({ filter: { server }, setFilter }: EventsView) {
  if (server === '') return [];
  const label = hostWords(server).replace(/^host/, 'server');
  return [{ label, onRemove: () => setFilter({ server: '' }) }];
}

/** Server, kind, time, and whether somebody has acknowledged it. */
export function EventsFilters({ view }: { view: EventsView }) {
  const { filter, setFilter } = view;
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Server name, or server:"
      qualifiers={{ server: (server) => setFilter({ server }) }}
      hints={{ server: SERVER_HINT }}
      pills={pillsOf(view)}
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
