import { FilterBar } from '../../../ui/filter/filter-bar.js';
import { HOST_HINT, hostPills, hostQualifier, subdomainChips } from '../../../ui/filter/host-filter.js';
import { nameQualifier } from '../../../ui/filter/qualifiers.js';
import { SinceSelect } from '../../../ui/filter/since-select.js';
import { STAGES } from './hit-columns.js';
import { SHAPE, type HitsView } from './hits-view.js';

const HINTS = {
  host: HOST_HINT,
  stage: 'stage:target, redirect, oembed or image; anything else is searched for as words',
};

/** Search, chips and time of the hits, and which rule. */
export function HitFilters({ view }: { view: HitsView }) {
  const { filter, setFilter } = view;
  const setHost = (host: string) => setFilter({ host });
  return (
    <FilterBar
      search={filter.q}
      onSearch={(q) => setFilter({ q })}
      placeholder="Part of the URL, or host:example.org stage:redirect"
      hints={HINTS}
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
        host: hostQualifier(SHAPE.host, setHost),
        stage: nameQualifier(SHAPE.stage, (stage) => setFilter({ stage })),
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
