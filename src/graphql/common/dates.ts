/** Last instant of the year 9999: later ones have no common form, and nothing honest lives that long. */
const LAST_DATE_TS = 253_402_300_799_999;

/** A POSIX time in ms for the outside; null stays null. */
export function toDate(ts: number): Date;
export function toDate(ts: number | null): Date | null;
export function toDate(ts: number | null): Date | null {
  return ts === null ? null : new Date(Math.min(ts, LAST_DATE_TS));
}
