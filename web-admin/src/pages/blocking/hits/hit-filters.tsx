import { FilterBar } from '../../../ui/filter/filter-bar.js';
import { SinceSelect } from '../../../ui/filter/since-select.js';
import { STAGES } from './hit-columns.js';
import { SHAPE, type HitsView } from './hits-view.js';

/** Search, chips and time of the hits, and which rule. */
export function HitFilters({ view }: { view: HitsView }) {
  const { filter, setFilter } = view;
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Part of the URL, or stage:redirect"
      groups={[
        {
          label: 'Stage',
          value: filter.stage,
          options: Object.entries(STAGES).map(([value, label]) => ({ value, label })),
          onChange: (value) => setFilter({ stage: SHAPE.stage.parse(value) }),
        },
        {
          label: 'Refused by',
          value: filter.by,
          options: [
            { value: 'URL_PATTERN', label: 'URL rule' },
            { value: 'IP_DENY', label: 'Address range' },
          ],
          onChange: (value) => setFilter({ by: SHAPE.by.parse(value) }),
        },
      ]}
      qualifiers={{ stage: (value) => setFilter({ stage: SHAPE.stage.parse(value.toUpperCase()) }) }}
      pills={filter.rule === '' ? [] : [{ label: 'one rule', onRemove: () => setFilter({ rule: '' }) }]}
    >
      <SinceSelect value={filter.since} onChange={(since) => setFilter({ since })} />
    </FilterBar>
  );
}
