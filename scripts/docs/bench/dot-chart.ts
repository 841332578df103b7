import { count, figure } from './line-chart.js';
import { CHART, drawing, label, place } from './svg.js';

/** Figures of different size beside each other, for one version or two. */
export interface DotChart {
  title: string;
  /** Of the horizontal axis. */
  unit: string;
  /** Newest first, at most two. */
  versions: readonly string[];
  /** One value for each version; `null` where it was not measured. */
  rows: { name: string; values: (number | null)[] }[];
}

const SIDE = 16;
const TOP = 56;
const ROW = 40;
const BOTTOM = 46;
const MARK = 4.5;
/** What fits into the width; longer names are drawn narrower. */
const NAME_LENGTH = 54;

/** Draws them over a logarithmic axis: the same distance is the same ratio. */
export function dotChart({ title, unit, versions, rows }: DotChart): string {
  const values = rows.flatMap((row) => row.values.filter((value) => value !== null && value > 0)) as number[];
  const [low, high] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  const height = TOP + rows.length * ROW + BOTTOM;
  const x = (value: number): number =>
    SIDE + ((CHART.width - 2 * SIDE) * (Math.log10(value) - low)) / Math.max(1, high - low);
  const powers = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  const description = rows
    .map(({ name, values: each }) => `${name}: ${each.map((value) => (value === null ? 'not measured' : figure(value))).join(', ')}.`)
    .join(' ');
  const body = [
    ...versions.flatMap((version, index) => legend(version, index)),
    ...powers.map((power) => `<line class="grid" x1="${place(x(power))}" y1="${TOP}" x2="${place(x(power))}" y2="${height - BOTTOM}"/>`),
    ...powers.map((power, index) =>
      label(power >= 1 ? count(power) : String(Number(power.toPrecision(1))), {
        x: x(power),
        y: height - 26,
        anchor: index === 0 ? 'start' : index === powers.length - 1 ? 'end' : 'middle',
      }),
    ),
    label(`${unit} (logarithmic)`, { x: CHART.width / 2, y: height - 8, anchor: 'middle' }),
    ...rows.flatMap(({ name, values: each }, row) => [
      label(name, {
        x: SIDE,
        y: TOP + row * ROW + 14,
        width: name.length > NAME_LENGTH ? CHART.width - 2 * SIDE : undefined,
      }),
      ...each.flatMap((value, index) => (value === null || value <= 0 ? [] : [mark(x(value), TOP + row * ROW + 27, index)])),
    ]),
  ];
  return drawing({ title, description: `${unit}, ${versions.join(' and ')}. ${description}`, height }, body.join('\n'));
}

function legend(version: string, index: number): string[] {
  return [mark(SIDE + index * 90, 36, index), label(version, { x: SIDE + index * 90 + 10, y: 40 })];
}

function mark(x: number, y: number, index: number): string {
  return index === 0
    ? `<circle class="fill-a" cx="${place(x)}" cy="${place(y)}" r="${MARK}"/>`
    : `<rect class="fill-b" x="${place(x - MARK)}" y="${place(y - MARK)}" width="${2 * MARK}" height="${2 * MARK}"/>`;
}
