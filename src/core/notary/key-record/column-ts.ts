const MAX_COLUMN = 2n ** 63n - 1n;
const MIN_COLUMN = -(2n ** 63n);

/** An untrusted time as a column value. Databases hold 64 bits; the exact value stays in the record's bytes. */
export function toColumnTs(ts: number | bigint): bigint {
  const exact = BigInt(ts);
  if (exact > MAX_COLUMN) return MAX_COLUMN;
  return exact < MIN_COLUMN ? MIN_COLUMN : exact;
}
