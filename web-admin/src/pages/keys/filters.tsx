import { NativeSelect } from '@mantine/core';

import { FilterBar } from '../../ui/filter/filter-bar.js';
import type { ChipGroup } from '../../ui/filter/chips.js';
import { subdomainChips } from '../../ui/filter/host-filter.js';
import { nameQualifier, qualifier } from '../../ui/filter/qualifiers.js';
import { SERVER_HINT, serverPills } from '../../ui/filter/server-filter.js';
import { CAUSE_WORDS } from './cause-words.js';
import { SHAPE, type KeysView } from './keys-view.js';

function groupsOf({ filter, setFilter }: KeysView): ChipGroup[] {
  return [
    ...subdomainChips(filter.server, (server) => setFilter({ server })),
    {
      label: 'State',
      value: filter.state,
      options: [
        { value: 'FRESH', label: 'Fresh' },
        { value: 'DUE', label: 'Due' },
        { value: 'EXPIRED', label: 'Expired' },
      ],
      onChange: (value) => setFilter({ state: SHAPE.state.parse(value) }),
    },
    {
      label: 'Error',
      value: filter.failing === true ? 'failing' : null,
      options: [{ value: 'failing', label: 'Failing' }],
      onChange: (value) => setFilter({ failing: value === null ? null : true }),
    },
    {
      label: 'Alarm',
      value: filter.look === true ? 'look' : null,
      options: [{ value: 'look', label: 'Needs a look' }],
      onChange: (value) => setFilter({ look: value === null ? null : true }),
    },
    {
      label: 'Federation',
      value: filter.allowed === false ? 'no' : null,
      options: [{ value: 'no', label: 'Not allowed' }],
      onChange: (value) => setFilter({ allowed: value === null ? null : false }),
    },
  ];
}

function pillsOf({ filter: { server, cause }, setFilter }: KeysView) {
  return [
    ...serverPills(server, (pattern) => setFilter({ server: pattern })),
    ...(cause === null ? [] : [{ label: CAUSE_WORDS[cause], onRemove: () => setFilter({ cause: null }) }]),
  ];
}

const HINTS = {
  server: SERVER_HINT,
  state: 'state:fresh, due, expired or failing; anything else is searched for as words',
};

/** Search, chips and "expires within" of the servers' list. */
export function KeysFilters({ view }: { view: KeysView }) {
  const { filter, setFilter } = view;
  const ofRecord = nameQualifier(SHAPE.state, (state) => setFilter({ state }));
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Server name, server: or state:due"
      hints={HINTS}
      groups={groupsOf(view)}
      pills={pillsOf(view)}
      qualifiers={{
        server: qualifier(SHAPE.server, (server) => setFilter({ server })),
        state: (value) =>
          value.toLowerCase() === 'failing' ? () => setFilter({ failing: true }) : ofRecord(value),
      }}
    >
      <NativeSelect
        aria-label="Expires within"
        value={filter.within ?? ''}
        data={[
          { value: '', label: 'Expires any time' },
          { value: 'hour', label: 'Expires within 1 h' },
          { value: 'day', label: 'Expires within 1 d' },
          { value: 'week', label: 'Expires within 1 week' },
        ]}
        onChange={(event) => setFilter({ within: SHAPE.within.parse(event.currentTarget.value) })}
      />
    </FilterBar>
  );
}
