const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const UNITS: readonly [number, string][] = [
  [YEAR, 'y'],
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
];

/** A span in its largest unit, or two for days and hours: "41 min", "1 d 6 h", "850 ms". */
export function spanWords(spanMs: number): string {
  const whole = Math.abs(spanMs);
  if (whole < SECOND) return `${Math.round(whole)} ms`;
  const index = UNITS.findIndex(([unit]) => whole >= unit);
  const [unit, name] = UNITS[index] ?? [SECOND, 's'];
  const count = Math.floor(whole / unit);
  const [nextUnit, nextName] = UNITS[index + 1] ?? [0, ''];
  const rest = nextUnit === 0 ? 0 : Math.floor((whole - count * unit) / nextUnit);
  const wantsTwo = unit !== SECOND && unit !== MINUTE && count < 3 && rest > 0;
  return wantsTwo ? `${count} ${name} ${rest} ${nextName}` : `${count} ${name}`;
}

/** Times of one step: "0.4 ms" is noise, so whole milliseconds below 10 s and tenths of seconds above. */
export function durationWords(durationMs: number): string {
  return durationMs < 10_000
    ? `${Math.round(durationMs).toLocaleString('en')} ms`
    : `${(durationMs / 1000).toFixed(1)} s`;
}

/** The clock of the pages ticks this often, so a time that has just passed may lie ahead of it. */
const TICK = 15 * SECOND;

/** "just now", "3 min ago", "in 41 min". */
export function relativeTime(ts: number, now: number): string {
  const distance = ts - now;
  if (distance > -10 * SECOND && distance <= TICK) return 'just now';
  return distance > 0 ? `in ${spanWords(distance)}` : `${spanWords(distance)} ago`;
}

/** "2026-11-20 21:13:58" in UTC; null for a time no calendar reaches. */
export function exactTime(ts: number): string | null {
  const date = new Date(ts);
  if (Number.isNaN(date.getTime())) return null;
  return date.toISOString().slice(0, 19).replace('T', ' ');
}
