import { FilterBar } from '../../../ui/filter/filter-bar.js';
import { HOST_HINT, hostPills, subdomainChips } from '../../../ui/filter/host-filter.js';
import { SinceSelect } from '../../../ui/filter/since-select.js';
import { STAGES } from './hit-columns.js';
import { SHAPE, type HitsView } from './hits-view.js';

/** Search, chips and time of the hits, and which rule. */
export function HitFilters({ view }: { view: HitsView }) {
  const { filter, setFilter } = view;
  const setHost = (host: string) => setFilter({ host });
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Part of the URL, or host:example.org stage:redirect"
      hints={{ host: HOST_HINT }}
      groups={[
        ...subdomainChips(filter.host, setHost),
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
      qualifiers={{
        host: (host) => setHost(host.toLowerCase()),
        stage: (value) => setFilter({ stage: SHAPE.stage.parse(value.toUpperCase()) }),
      }}
      pills={[
        ...hostPills(filter.host, setHost),
        ...(filter.rule === '' ? [] : [{ label: 'one rule', onRemove: () => setFilter({ rule: '' }) }]),
      ]}
    >
      <SinceSelect value={filter.since} onChange={(since) => setFilter({ since })} />
    </FilterBar>
  );
}
