import { useMemo } from 'react';

import { Chart } from '../../ui/chart/chart.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { entryCount } from './entry-count.js';
import type { LogData } from './log-query.js';

const DAY_MS = 86_400_000;
/** Fewer days would be drawn as a slope between two of them. */
const SHOWN_DAYS = 30;

/** Entries a day; days without any are drawn, too. */
export function Growth({ days }: { days: LogData['growth'] }) {
  const { times, lines, sum } = useMemo(() => seriesOf(days), [days]);
  return (
    <Panel title="Growth" note="entries a day">
      {times.length === 0 ? (
        <EmptyState title="Nothing has been entered yet" />
      ) : (
        <Chart times={times} lines={lines} label={`Growth of the log: ${entryCount(sum)}`} />
      )}
    </Panel>
  );
}

function seriesOf(days: LogData['growth']) {
  const byDay = new Map(days.map(({ day, entries }) => [Date.parse(day), entries]));
  const last = Math.max(...byDay.keys());
  const first = Math.min(...byDay.keys(), last - (SHOWN_DAYS - 1) * DAY_MS);
  const count = byDay.size === 0 ? 0 : Math.round((last - first) / DAY_MS) + 1;
  const times = Array.from({ length: count }, (_, index) => first + index * DAY_MS);
  const values = times.map((ts) => byDay.get(ts) ?? 0);
  const sum = values.reduce((all, each) => all + each, 0);
  return { times, lines: [{ label: 'Entries', values }], sum };
}
