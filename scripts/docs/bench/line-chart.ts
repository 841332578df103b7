import { CHART, drawing, label, place, ticksTo } from './svg.js';

/** How something grows with what is stored. */
export interface LineChart {
  title: string;
  /** Of the vertical axis, with its unit. */
  unit: string;
  /** At most two; they end with their names. */
  lines: { name: string; points: { x: number; y: number }[] }[];
}

const PLOT = { left: 52, right: 16, top: 56, bottom: 46 } as const;
const MARK = 4;

/** Draws it over a horizontal axis of powers of ten: what grows as the logarithm is a straight line. */
export function lineChart({ title, unit, lines }: LineChart): string {
  const xs = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].toSorted((a, b) => a - b);
  const ticks = ticksTo(Math.max(...lines.flatMap(({ points }) => points.map(({ y }) => y))));
  const { at, height } = scales(xs, ticks);
  const description = lines
    .map(({ name, points }) => `${name}: ${points.map(({ x, y }) => `${figure(y)} at ${count(x)}`).join(', ')}.`)
    .join(' ');
  const body = [
    label(unit, { x: 8, y: 40 }),
    ...ticks.flatMap((y) => [
      `<line class="${y === 0 ? 'axis' : 'grid'}" x1="${PLOT.left}" y1="${place(at.y(y))}" x2="${CHART.width - PLOT.right}" y2="${place(at.y(y))}"/>`,
      label(figure(y), { x: PLOT.left - 6, y: at.y(y) + 4, anchor: 'end' }),
    ]),
    ...xs.map((x) =>
      label(power(x), { x: at.x(x), y: height - 24, anchor: 'middle' }),
    ),
    label('key records stored (logarithmic)', { x: (PLOT.left + CHART.width - PLOT.right) / 2, y: height - 6, anchor: 'middle' }),
    ...lines.flatMap(({ points, name }, index) => lineOf(points, { at, index, name })),
  ];
  return drawing({ title, description: `${unit}. ${description}`, height }, body.join('\n'));
}

interface Scales {
  x: (value: number) => number;
  y: (value: number) => number;
}

function scales(xs: readonly number[], ticks: readonly number[]): { at: Scales; height: number } {
  const [first = 1, last = 10, most = 1] = [xs[0], xs.at(-1), ticks.at(-1)];
  const height = CHART.height;
  const wide = CHART.width - PLOT.left - PLOT.right - 2 * INSET;
  const share = (x: number): number => (last === first ? 0.5 : Math.log(x / first) / Math.log(last / first));
  return {
    height,
    at: {
      x: (x) => PLOT.left + INSET + wide * share(x),
      y: (y) => height - PLOT.bottom - ((height - PLOT.bottom - PLOT.top) * y) / most,
    },
  };
}

/** Between the axis and the first point. */
const INSET = 28;

/** A line with its marks, which differ without colour; its name stands in the legend. */
function lineOf(
  points: readonly { x: number; y: number }[],
  { at, index, name }: { at: Scales; index: number; name: string },
): string[] {
  const colour = index === 0 ? 'a' : 'b';
  const path = points.map(({ x, y }) => `${place(at.x(x))},${place(at.y(y))}`).join(' ');
  const mark = (x: number, y: number): string =>
    index === 0
      ? `<circle class="fill-${colour}" cx="${place(x)}" cy="${place(y)}" r="${MARK}"/>`
      : `<rect class="fill-${colour}" x="${place(x - MARK)}" y="${place(y - MARK)}" width="${2 * MARK}" height="${2 * MARK}"/>`;
  const legend = CHART.width - PLOT.right - (index === 0 ? 162 : 82);
  return [
    `<polyline class="line ${colour}" points="${path}"${index === 0 ? '' : ' stroke-dasharray="6 3"'}/>`,
    ...points.map(({ x, y }) => mark(at.x(x), at.y(y))),
    mark(legend, 36),
    label(name, { x: legend + 9, y: 40 }),
  ];
}

/** `12,345` or `0.123`: three digits are enough. */
export function figure(value: number): string {
  return value.toLocaleString('en-US', value >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
}

/** A power of ten, short. */
function power(value: number): string {
  return value >= 1e6 ? `${value / 1e6} million` : count(value);
}

/** A count in full. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}
