type Plain<Value> = Value extends bigint ? number : Value;

/** A row as Prisma gives it, with numbers for 64-bit integers. */
export type PlainRow<Row> = { [Name in keyof Row]: Plain<Row[Name]> };

/** Turns the 64-bit integers of a row, most of them times, into numbers, clamped to 2^53-1. */
export function plainRow<Row extends object>(row: Row): PlainRow<Row> {
  const members = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : value,
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members are those of the row
  return Object.fromEntries(members) as PlainRow<Row>;
}
