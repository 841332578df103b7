import { isKeyOf } from '../../core/base/json/is-record.js';

const DURATION_UNITS = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
} as const;

const SIZE_UNITS = { K: 1024, M: 1024 ** 2, G: 1024 ** 3 } as const;

export const DURATION_PATTERN = /^(\d{1,15})(ms|[smhdwy])?$/;
export const SIZE_PATTERN = /^(\d{1,15})([KMG])?$/;

/** Reads `12`, `500ms`, `10s`, `5m`, `1h`, `1d`, `1w` or `1y` (365 days) as whole milliseconds; null when it is none. */
export function parseDuration(value: number | string): number | null {
  if (typeof value === 'number') return wholeNumber(value);
  const match = DURATION_PATTERN.exec(value);
  if (match === null) return null;
  const unit = match[2] ?? 'ms';
  return isKeyOf(DURATION_UNITS, unit) ? wholeNumber(Number(match[1]) * DURATION_UNITS[unit]) : null;
}

/** Reads `512`, `512K`, `10M` or `1G` (powers of 1024) as whole bytes; null when it is none. */
export function parseSize(value: number | string): number | null {
  if (typeof value === 'number') return wholeNumber(value);
  const match = SIZE_PATTERN.exec(value);
  if (match === null) return null;
  const unit = match[2] ?? '';
  return wholeNumber(Number(match[1]) * (isKeyOf(SIZE_UNITS, unit) ? SIZE_UNITS[unit] : 1));
}

/** Milliseconds in the largest unit that divides them: 90000 is `90s`, 60000 is `1m`. */
export function formatDuration(milliseconds: number): string {
  return inLargestUnit(milliseconds, Object.entries(DURATION_UNITS), '0ms');
}

/** Bytes in the largest unit that divides them: 1536 is `1536`, 10485760 is `10M`. */
export function formatSize(bytes: number): string {
  return inLargestUnit(bytes, [['', 1], ...Object.entries(SIZE_UNITS)], '0');
}

function inLargestUnit(value: number, units: readonly [string, number][], zero: string): string {
  if (value === 0) return zero;
  const [name, factor] = units.findLast(([, factor]) => value % factor === 0) ?? ['', 1];
  return `${value / factor}${name}`;
}

function wholeNumber(value: number): number | null {
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}
