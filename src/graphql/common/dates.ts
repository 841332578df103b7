/** Last instant of the year 9999: later ones have no common form, and nothing honest lives that long. */
const LAST_DATE_TS = 253_402_300_799_999;

/** A POSIX time in ms for the outside; null stays null. */
export function toDate(ts: number): Date;
export function toDate(ts: number | null): Date | null;
export function toDate(ts: number | null): Date | null {
  return ts === null ? null : new Date(Math.min(ts, LAST_DATE_TS));
}

type DatedName<Name> = Name extends 'ts' ? 'at' : Name extends `${infer Before}Ts` ? `${Before}At` : Name;

type Dated<Row> = {
  [Name in keyof Row as DatedName<Name>]: DatedName<Name> extends Name
    ? Row[Name]
    : null extends Row[Name]
      ? Date | null
      : Date;
};

/** The same members, but times as the outside has them: `createdTs` is a date under `createdAt`, `ts` one under `at`. */
export function withDates<Row extends object>(row: Row): Dated<Row> {
  const members = Object.entries(row).map(([name, value]) =>
    /^ts$|Ts$/.test(name)
      ? [name.replace(/ts$/i, name === 'ts' ? 'at' : 'At'), toDate(value)]
      : [name, value],
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members are those of the row
  return Object.fromEntries(members) as Dated<Row>;
}
