import { SegmentedControl } from '@mantine/core';

import { useQuery } from '../../../api/use-query.js';
import { Chart } from '../../../ui/chart/chart.js';
import { Sparkline } from '../../../ui/chart/sparkline.js';
import { Panel } from '../../../ui/page/panel.js';
import { QueryView } from '../../../ui/state/query-view.js';
import { choice, oneOf } from '../../../url/params.js';
import { useSearchParams } from '../../../url/search-params.js';
import { METRICS, RANGE_LABELS, RANGES } from './metrics.js';
import { seriesQuery, type SeriesData } from '../overview-query.js';
import styles from './activity.module.css';

const NAMES = METRICS.map(({ metric }) => metric);
const SHAPE = { range: choice(RANGES, 'DAY'), chart: oneOf(NAMES) };

/** Small lines over the chosen time; one of them can be opened large. */
export function Activity() {
  const [{ range, chart }, change] = useSearchParams(SHAPE);
  const query = useQuery(seriesQuery, { metrics: NAMES, range }, { live: 'view' });
  return (
    <Panel
      title="Activity"
      note={RANGE_LABELS[range].long}
      flush
      actions={
        <SegmentedControl
          aria-label="Time range"
          value={range}
          data={RANGES.map((value) => ({ value, label: RANGE_LABELS[value].short }))}
          onChange={(value) => change({ range: SHAPE.range.parse(value) })}
        />
      }
    >
      <QueryView query={query}>
        {({ overview }) => (
          <>
            <ul className={styles.lines}>
              {overview.series.map((series) => (
                <li key={series.metric}>
                  <Line
                    series={series}
                    range={RANGE_LABELS[range].long}
                    isOpen={chart === series.metric}
                    onToggle={() => change({ chart: chart === series.metric ? null : series.metric })}
                  />
                </li>
              ))}
            </ul>
            <Large series={overview.series.find(({ metric }) => metric === chart)} />
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function labelOf(series: SeriesData): string {
  return METRICS.find(({ metric }) => metric === series.metric)?.label ?? series.metric;
}

interface LineProps {
  series: SeriesData;
  range: string;
  isOpen: boolean;
  onToggle: () => void;
}

function Line({ series, range, isOpen, onToggle }: LineProps) {
  const label = labelOf(series);
  const total = series.total.toLocaleString('en');
  return (
    <button type="button" className={styles.line} aria-expanded={isOpen} onClick={onToggle}>
      <span className={styles.label}>{label}</span>
      <span className={styles.total}>{total}</span>
      <Sparkline
        values={series.points.map(({ value }) => value)}
        label={`${label}, ${range}: ${total} in all`}
      />
    </button>
  );
}

function Large({ series }: { series: SeriesData | undefined }) {
  if (series === undefined || series.points.length === 0) return null;
  const label = labelOf(series);
  return (
    <div className={styles.large}>
      <Chart
        times={series.points.map(({ at }) => Date.parse(at))}
        lines={[{ label, values: series.points.map(({ value }) => value) }]}
        label={`${label}: ${series.total.toLocaleString('en')} in all`}
      />
    </div>
  );
}
