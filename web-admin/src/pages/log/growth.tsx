import { useMemo } from 'react';

import { Chart } from '../../ui/chart/chart.js';
import { Panel } from '../../ui/page/panel.js';
import { EmptyState } from '../../ui/state/empty-state.js';
import { entryCount } from './entry-count.js';
import type { LogData } from './log-query.js';

const DAY_MS = 86_400_000;

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
  const [last, first] = [Math.max(...byDay.keys()), Math.min(...byDay.keys())];
  // One day alone is a line from the day before.
  const count = byDay.size === 0 ? 0 : Math.round((last - first) / DAY_MS) + 2;
  const times = Array.from({ length: count }, (_, index) => first + (index - 1) * DAY_MS);
  const values = times.map((ts) => byDay.get(ts) ?? 0);
  const sum = values.reduce((all, each) => all + each, 0);
  return { times, lines: [{ label: 'Entries', values }], sum };
}
