import { FilterBar } from '../../../ui/filter/filter-bar.js';
import type { ChipGroup } from '../../../ui/filter/chips.js';
import { HOST_HINT, hostPills, hostQualifier, subdomainChips } from '../../../ui/filter/host-filter.js';
import { nameQualifier, qualifier } from '../../../ui/filter/qualifiers.js';
import { TimeRange } from '../../../ui/filter/time-range.js';
import { SHAPE, type StoredView } from './stored-view.js';

const HINTS = {
  host: HOST_HINT,
  status: 'status:404 is that status, in three digits; anything else is searched for as words',
  state: 'state:fresh or state:expired; anything else is searched for as words',
};

function groupsOf({ filter, setFilter }: StoredView): ChipGroup[] {
  return [
    {
      label: 'State',
      value: filter.state,
      options: [
        { value: 'FRESH', label: 'Fresh' },
        { value: 'EXPIRED', label: 'Expired' },
      ],
      onChange: (value) => setFilter({ state: SHAPE.state.parse(value) }),
    },
    {
      label: 'Image',
      value: filter.image === null ? null : filter.image ? 'yes' : 'no',
      options: [
        { value: 'yes', label: 'With image' },
        { value: 'no', label: 'Without' },
      ],
      onChange: (value) => setFilter({ image: SHAPE.image.parse(value) }),
    },
    {
      label: 'Answer',
      value: filter.empty === true ? 'yes' : null,
      options: [{ value: 'yes', label: 'Empty {}' }],
      onChange: (value) => setFilter({ empty: value === null ? null : true }),
    },
  ];
}

/** Search, chips, host, status and time of the stored previews. */
export function StoredFilters({ view }: { view: StoredView }) {
  const { filter, setFilter } = view;
  const setHost = (host: string) => setFilter({ host });
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="URL or title, or host:example.org status:404"
      groups={[...subdomainChips(filter.host, setHost), ...groupsOf(view)]}
      hints={HINTS}
      qualifiers={{
        host: hostQualifier(SHAPE.host, setHost),
        status: qualifier(SHAPE.status, (status) => setFilter({ status })),
        state: nameQualifier(SHAPE.state, (state) => setFilter({ state })),
      }}
      pills={[
        ...hostPills(filter.host, setHost),
        ...(filter.status === ''
          ? []
          : [{ label: `status ${filter.status}`, onRemove: () => setFilter({ status: '' }) }]),
      ]}
    >
      <TimeRange label="Stored" value={filter} onChange={({ from, to }) => setFilter({ from, to })} />
    </FilterBar>
  );
}
