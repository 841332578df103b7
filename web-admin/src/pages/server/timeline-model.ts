import type { BandData } from './history-query.js';
import type { KeyHistory, Mark, MarkKind } from './history.js';

/** A span of time that is drawn, POSIX ms. */
export interface Span {
  fromTs: number;
  untilTs: number;
}

/** What the marks are called, with what makes the more important ones win the room for a word. */
export const MARKS: Record<MarkKind, { word: string; weight: number }> = {
  REPLACEMENT: { word: 'replaced', weight: 4 },
  GAP: { word: 'gap', weight: 3 },
  ROTATION: { word: 'rotation', weight: 2 },
  RETIRED: { word: 'retired', weight: 2 },
  ADDED: { word: 'added', weight: 1 },
  FIRST: { word: 'first', weight: 1 },
  ACKNOWLEDGED: { word: 'acknowledged', weight: 2 },
};

/** All that the page of the history covers: up to now on the first one, and never less than its newest record. */
export function wholeSpan({ bands: nodes }: KeyHistory, nowTs: number): Span {
  const [newest, oldest] = [nodes[0], nodes.at(-1)];
  const fromTs = oldest === undefined ? nowTs : Date.parse(oldest.from);
  const untilTs = newest === undefined ? nowTs : Math.max(endOf(newest, nowTs), Date.parse(newest.from));
  return { fromTs, untilTs: Math.max(untilTs, fromTs + 1000) };
}

/** When a band, piece or gap ends; those that last end now. */
export function endOf({ until }: { until: string | null }, nowTs: number): number {
  return until === null ? nowTs : Date.parse(until);
}

/** Instants at which something changes, rising: what the arrow keys step through. */
export function stopsOf({ bands, marks }: KeyHistory, { fromTs, untilTs }: Span): number[] {
  const changes = [
    fromTs,
    ...bands.map(({ from }) => Date.parse(from)),
    ...marks.flatMap(({ from, until }) => [Date.parse(from), until === null ? untilTs : Date.parse(until)]),
    untilTs,
  ];
  return [...new Set(changes)].filter((ts) => ts >= fromTs && ts <= untilTs).toSorted((a, b) => a - b);
}

/** Where a key leads to from an instant; `null`: it means nothing here. */
export function stepTo(
  { key, shiftKey }: { key: string; shiftKey: boolean },
  atTs: number,
  { stops, span }: { stops: readonly number[]; span: Span },
): number | null {
  const { fromTs, untilTs } = span;
  const isForward = key === 'ArrowRight' || key === 'ArrowUp' || key === 'PageUp';
  const isBack = key === 'ArrowLeft' || key === 'ArrowDown' || key === 'PageDown';
  if (key === 'Home') return fromTs;
  if (key === 'End') return untilTs;
  if (!isForward && !isBack) return null;
  if (shiftKey) {
    const step = ((untilTs - fromTs) / 100) * (isForward ? 1 : -1);
    return Math.round(Math.min(Math.max(atTs + step, fromTs), untilTs));
  }
  const next = isForward ? stops.find((ts) => ts > atTs) : stops.findLast((ts) => ts < atTs);
  return next ?? atTs;
}

/** Room of one character of the words in the drawing, in pixels. */
const CHARACTER_PX = 6.6;

/** A mark with its place in pixels; its word stands at its right or, at the end, at its left. */
export interface PlacedMark {
  mark: Mark;
  at: number;
  word: { text: string; at: number } | null;
}

/** Marks with their places, from the left; a word is left out where a weightier one has the room. */
export function placedMarks(
  marks: readonly Mark[],
  { x, width }: { x: (ts: number) => number; width: number },
): PlacedMark[] {
  const taken: [number, number][] = [];
  const words = new Map<Mark, PlacedMark['word']>();
  for (const mark of marks.toSorted((a, b) => MARKS[b.kind].weight - MARKS[a.kind].weight)) {
    const { word } = MARKS[mark.kind];
    const [at, length] = [x(Date.parse(mark.from)), word.length * CHARACTER_PX];
    const from = at + 8 + length > width ? at - 8 - length : Math.max(at, 4) + 8;
    if (from < 0 || taken.some(([a, b]) => from - 14 < b && from + length + 14 > a)) continue;
    taken.push([from, from + length]);
    words.set(mark, { text: word, at: from });
  }
  return marks
    .map((mark) => ({ mark, at: x(Date.parse(mark.from)), word: words.get(mark) ?? null }))
    .filter(({ at, mark }) => at <= width && (at >= 0 || mark.kind === 'GAP'));
}

/** Round instants for the axis, at most so many. */
export function ticksOf({ fromTs, untilTs }: Span, most: number): number[] {
  const rough = (untilTs - fromTs) / most;
  const step = STEPS.find((each) => each >= rough) ?? Math.ceil(rough / YEAR) * YEAR;
  const first = Math.ceil(fromTs / step) * step;
  return Array.from({ length: Math.floor((untilTs - first) / step) + 1 }, (_, index) => first + index * step);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;
const STEPS = [
  1000,
  10_000,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  91 * DAY,
  182 * DAY,
];

/** "09:30" within two days, "01-15" within a year, "2027-01" beyond; UTC like every exact time. */
export function tickWords(ts: number, { fromTs, untilTs }: Span): string {
  const iso = new Date(ts).toISOString();
  const span = untilTs - fromTs;
  if (span < 10 * MINUTE) return iso.slice(11, 19);
  if (span <= 2 * DAY) return iso.slice(11, 16);
  return span <= YEAR ? iso.slice(5, 10) : iso.slice(0, 7);
}

/** What a band is called. */
export function bandWords({ recordNumber, sha256 }: BandData): string {
  if (recordNumber === null) return 'nothing known';
  return sha256 === null ? `record ${recordNumber}, deleted` : `record ${recordNumber}`;
}
