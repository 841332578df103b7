import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { exactTime } from '../text/time-words.js';

export interface ChartProps {
  /** Shared instants in POSIX ms, rising. */
  times: readonly number[];
  /** At most three; the colours are accent, ok, warn. */
  lines: readonly { label: string; values: readonly (number | null)[] }[];
  /** For screen readers, one sentence with the main number. */
  label: string;
}

const HEIGHT = 200;
/** Distances of the marks of counts: whole numbers. */
const WHOLE = Array.from({ length: 12 }, (_, digits) =>
  [1, 2, 5].map((first) => first * 10 ** digits),
).flat();
const DAY_MS = 86_400_000;
const COLOURS = ['--v-accent', '--v-ok', '--v-warn'];

/** Marks below the axis: times within two days, dates beyond; in UTC like every exact time of the UI. */
function axisWords(splits: number[]): string[] {
  const span = (splits.at(-1) ?? 0) - (splits[0] ?? 0);
  return splits.map((ts) => {
    const iso = new Date(ts).toISOString();
    return span > 2 * DAY_MS ? iso.slice(5, 10) : iso.slice(11, 16);
  });
}

function optionsFor(lines: ChartProps['lines'], width: number): uPlot.Options {
  const css = getComputedStyle(document.documentElement);
  const read = (name: string) => css.getPropertyValue(name).trim();
  const axis = {
    stroke: read('--v-text-3'),
    grid: { stroke: read('--v-line'), width: 1 },
    ticks: { show: false },
    font: `12px ${read('--v-sans')}`,
  };
  return {
    width,
    height: HEIGHT,
    ms: 1,
    legend: { live: true },
    cursor: { points: { size: 7 } },
    // Without a pointer the legend says the latest value.
    hooks: { ready: [readLatest], setCursor: [readLatest] },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
    tzDate: (ts) => uPlot.tzDate(new Date(ts), 'Etc/UTC'),
    axes: [
      { ...axis, size: 30, values: (_plot, splits) => axisWords(splits) },
      { ...axis, size: 44, incrs: WHOLE },
    ],
    series: [
      { label: 'Time', value: (_plot, ts) => (ts === null ? '—' : (exactTime(ts) ?? '—')) },
      ...lines.map(({ label }, index) => ({
        label,
        stroke: read(COLOURS[index] ?? '--v-text-2'),
        width: 1.5,
        points: { show: false },
        value: (_plot: uPlot, value: number | null) => (value === null ? '—' : value.toLocaleString('en')),
        ...(index === 0 ? { fill: read('--v-accent-soft') } : {}),
      })),
    ],
  };
}

function readLatest(plot: uPlot): void {
  if (typeof plot.cursor.idx !== 'number') plot.setLegend({ idx: plot.data[0].length - 1 });
}

/** The chart itself; load it through Chart. Redrawn when its data, its width or the colour scheme changes. */
export function TimeChart(props: ChartProps) {
  // Its colours are read once per drawing: another scheme is another chart.
  return <Plot key={useComputedColorScheme()} {...props} />;
}

function Plot({ times, lines, label }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return undefined;
    const data: uPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])];
    const plot = new uPlot(optionsFor(lines, element.clientWidth), data, element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, lines]);
  return <div ref={holder} className="v-chart" role="img" aria-label={label} />;
}
