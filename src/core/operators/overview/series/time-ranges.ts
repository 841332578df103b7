import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/clock.js';

/** How far back a chart looks. */
export type TimeRange = 'hour' | 'day' | 'week' | 'month';

/** Rows of which resolution a range is drawn from, and how many ms one point of it covers. */
export interface RangeShape {
  resolutionMs: number;
  stepMs: number;
  points: number;
}

export const RANGE_SHAPES: Readonly<Record<TimeRange, RangeShape>> = {
  hour: { resolutionMs: MINUTE_MS, stepMs: MINUTE_MS, points: 60 },
  day: { resolutionMs: MINUTE_MS, stepMs: 15 * MINUTE_MS, points: 96 },
  week: { resolutionMs: HOUR_MS, stepMs: 2 * HOUR_MS, points: 84 },
  month: { resolutionMs: HOUR_MS, stepMs: 8 * HOUR_MS, points: 90 },
};

/** How long rows of each resolution are kept: a little longer than the range that reads them. */
export const KEPT_MS: ReadonlyMap<number, number> = new Map([
  [MINUTE_MS, 25 * HOUR_MS],
  [HOUR_MS, 31 * DAY_MS],
]);

/** Start of the span of length `stepMs` that holds `ts`. */
export function spanStart(ts: number, stepMs: number): number {
  return ts - (ts % stepMs);
}
