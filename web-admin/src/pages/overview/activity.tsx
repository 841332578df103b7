import { Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';

import { useQuery } from '../../api/use-query.js';
import type { Metric } from '../../gql/graphql.js';
import { choice } from '../../url/params.js';
import { useSearchParams } from '../../url/search-params.js';
import { Chart } from '../../ui/chart/chart.js';
import { Panel } from '../../ui/page.js';
import { QueryView } from '../../ui/state.js';
import { seriesQuery, timesOf, type SeriesData } from './overview-query.js';

const METRICS: readonly { value: Metric; label: string }[] = [
  { value: 'KEY_QUERIES', label: 'Key queries' },
  { value: 'KEY_FETCHES', label: 'Key fetches' },
  { value: 'KEY_FETCH_FAILURES', label: 'Failed key fetches' },
  { value: 'PREVIEW_REQUESTS', label: 'Preview requests' },
  { value: 'PREVIEW_GENERATED', label: 'Previews created' },
  { value: 'PREVIEW_FAILURES', label: 'Failed previews' },
  { value: 'PREVIEW_DENIED', label: 'Previews refused with 401' },
  { value: 'PREVIEW_UNAVAILABLE', label: 'Previews refused with 503' },
  { value: 'BLOCK_HITS', label: 'Blocked requests' },
];
const RANGES = [
  { value: 'HOUR', label: '1 h' },
  { value: 'DAY', label: '1 d' },
  { value: 'WEEK', label: '1 w' },
  { value: 'MONTH', label: '30 d' },
] as const;
const SHAPE = {
  range: choice(
    RANGES.map(({ value }) => value),
    'DAY',
  ),
  chart: choice(
    METRICS.map(({ value }) => value),
    'KEY_QUERIES',
  ),
};

/** One figure over time, of nine to choose from. */
export function Activity() {
  const [{ range, chart }, change] = useSearchParams(SHAPE);
  const query = useQuery(seriesQuery, { metrics: [chart], range }, { live: 'series' });
  return (
    <Panel
      title="Activity"
      actions={
        <Group gap="xs">
          <NativeSelect
            aria-label="Figure"
            value={chart}
            data={[...METRICS]}
            onChange={(event) => change({ chart: SHAPE.chart.parse(event.currentTarget.value) })}
          />
          <SegmentedControl
            aria-label="Time range"
            value={range}
            data={[...RANGES]}
            onChange={(value) => change({ range: SHAPE.range.parse(value) })}
          />
        </Group>
      }
    >
      <QueryView query={query}>
        {({ overview: { series } }) => <Figure series={series[0]} label={labelOf(chart)} />}
      </QueryView>
    </Panel>
  );
}

function labelOf(metric: Metric): string {
  return METRICS.find(({ value }) => value === metric)?.label ?? '';
}

function Figure({ series, label }: { series: SeriesData | undefined; label: string }) {
  if (series === undefined || series.total === 0) return <Text c="dimmed">No data in this period.</Text>;
  return (
    <Chart
      times={timesOf(series)}
      lines={[{ label, values: series.values }]}
      label={`${label}: ${series.total.toLocaleString('en')} in all`}
    />
  );
}
