import { NativeSelect, SegmentedControl } from '@mantine/core';

import { FilterBar } from '../../../ui/filter/filter-bar.js';
import type { ChipGroup } from '../../../ui/filter/chips.js';
import { HOST_HINT, hostPills, hostQualifier, subdomainChips } from '../../../ui/filter/host-filter.js';
import { qualifier } from '../../../ui/filter/qualifiers.js';
import { TimeRange } from '../../../ui/filter/time-range.js';
import { useViewer } from '../../../session/viewer-context.js';
import { SHAPE, type MediaView } from './media-view.js';
import styles from '../media.module.css';

const SIZES = [
  { value: '0', label: 'Any size' },
  { value: '100', label: 'Above 100 KiB' },
  { value: '1024', label: 'Above 1 MiB' },
  { value: '5120', label: 'Above 5 MiB' },
  { value: '20480', label: 'Above 20 MiB' },
];

function groupsOf({ filter, setFilter }: MediaView): ChipGroup[] {
  return [
    {
      label: 'Type',
      value: filter.type,
      options: [
        { value: 'image/', label: 'Images' },
        { value: 'text/html', label: 'Pages' },
      ],
      onChange: (value) => setFilter({ type: value ?? '' }),
    },
    {
      label: 'File',
      value: filter.file === 'MISSING' ? 'MISSING' : null,
      options: [{ value: 'MISSING', label: 'File missing' }],
      onChange: (value) => setFilter({ file: SHAPE.file.parse(value) }),
    },
    {
      label: 'Use',
      value: filter.orphan === true ? 'yes' : null,
      options: [{ value: 'yes', label: 'Orphans' }],
      onChange: (value) => setFilter({ orphan: value === null ? null : true }),
    },
  ];
}

function pillsOf({ filter, setFilter }: MediaView) {
  const { host, owner, type } = filter;
  const others = [
    { on: owner !== '', label: `owner ${owner}`, onRemove: () => setFilter({ owner: '' }) },
    {
      on: !['', 'image/', 'text/html'].includes(type),
      label: `type ${type}`,
      onRemove: () => setFilter({ type: '' }),
    },
  ].filter(({ on }) => on);
  return [...hostPills(host, (next) => setFilter({ host: next })), ...others];
}

interface MediaFiltersProps {
  view: MediaView;
  form: 'table' | 'grid';
  onForm: (form: string) => void;
}

/** Search, chips, size and time of the media, and how they are drawn. */
export function MediaFilters({ view, form, onForm }: MediaFiltersProps) {
  const { filter, setFilter } = view;
  const setHost = (host: string) => setFilter({ host });
  const { role } = useViewer();
  const isAdmin = role === 'ADMIN';
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder={`ID, URL or name, or host: type:${isAdmin ? ' owner:' : ''}`}
      groups={[...subdomainChips(filter.host, setHost), ...groupsOf(view)]}
      hints={{ host: HOST_HINT }}
      qualifiers={{
        host: hostQualifier(SHAPE.host, setHost),
        type: qualifier(SHAPE.type, (type) => setFilter({ type: type.toLowerCase() })),
        ...(isAdmin ? { owner: qualifier(SHAPE.owner, (owner) => setFilter({ owner })) } : {}),
      }}
      pills={pillsOf(view)}
    >
      <TimeRange label="Created" value={filter} onChange={({ from, to }) => setFilter({ from, to })} />
      <SizeSelect view={view} />
      <div className={styles.form}>
        <SegmentedControl
          aria-label="How media is drawn"
          value={form}
          data={[
            { value: 'table', label: 'Table' },
            { value: 'grid', label: 'Grid' },
          ]}
          onChange={onForm}
        />
      </div>
    </FilterBar>
  );
}

function SizeSelect({ view: { filter, setFilter } }: Pick<MediaFiltersProps, 'view'>) {
  const min = String(filter.min);
  const known = SIZES.some(({ value }) => value === min);
  return (
    <NativeSelect
      aria-label="Larger than"
      value={min}
      data={known ? SIZES : [...SIZES, { value: min, label: `Above ${min} KiB` }]}
      onChange={(event) => setFilter({ min: Number(event.currentTarget.value) })}
    />
  );
}
