import { FilterBar } from '../../ui/filter/filter-bar.js';
import { qualifier } from '../../ui/filter/qualifiers.js';
import { TimeRange } from '../../ui/filter/time-range.js';
import { operationOf, SHAPE, type AuditView } from './audit-view.js';

const OUTCOMES = [
  { value: 'OK', label: 'Ok' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'CANCELLED', label: 'Cancelled' },
];

/** Search, outcome and time of the audit, and whose or which actions. */
export function AuditFilters({ view }: { view: AuditView }) {
  const { filter, setFilter } = view;
  const pills = [
    ...(filter.actor === ''
      ? []
      : [{ label: `by ${filter.actor}`, onRemove: () => setFilter({ actor: '' }) }]),
    ...(filter.action === ''
      ? []
      : [{ label: operationOf(filter.action), onRemove: () => setFilter({ action: '' }) }]),
  ];
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Words, or actor: action:"
      groups={[
        {
          label: 'Kind',
          value: filter.show === 'changes' ? 'changes' : null,
          options: [{ value: 'changes', label: 'Changes only' }],
          onChange: (value) => setFilter({ show: value === null ? 'all' : 'changes' }),
        },
        {
          label: 'Outcome',
          value: filter.outcome,
          options: OUTCOMES,
          onChange: (value) => setFilter({ outcome: SHAPE.outcome.parse(value) }),
        },
      ]}
      qualifiers={{
        actor: qualifier(SHAPE.actor, (actor) => setFilter({ actor })),
        action: qualifier(SHAPE.action, (action) => setFilter({ action })),
      }}
      pills={pills}
    >
      <TimeRange label="Done" value={filter} onChange={({ from, to }) => setFilter({ from, to })} />
    </FilterBar>
  );
}
