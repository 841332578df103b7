import type { DbTransaction } from '../db/db.js';

/**
 * Records of one server that stay answerable. Without a bound an origin that renames its keys all the time could
 * make the answer for "all keys" as large as it likes.
 */
const MAX_ANSWERABLE_RECORDS = 64;

/** A key id that the newest record no longer lists, with the record it points to. */
export interface VanishedKey {
  recordId: number;
  lastSeenTs: bigint;
}

/**
 * Takes the longest vanished keys out of the index, inside the caller's transaction, when they lead to more records
 * than are answered. The records themselves stay in the history.
 */
export async function forgetLongestVanished(
  tx: DbTransaction,
  serverName: string,
  vanished: readonly VanishedKey[],
): Promise<void> {
  const lastSeen = new Map<number, bigint>();
  for (const { recordId, lastSeenTs } of vanished) {
    if (lastSeenTs > (lastSeen.get(recordId) ?? -1n)) lastSeen.set(recordId, lastSeenTs);
  }
  // One place is the newest record's.
  const surplus = lastSeen.size - (MAX_ANSWERABLE_RECORDS - 1);
  if (surplus <= 0) return;
  const oldest = [...lastSeen].toSorted(([idA, a], [idB, b]) => (a === b ? idA - idB : a < b ? -1 : 1));
  const recordIds = oldest.slice(0, surplus).map(([recordId]) => recordId);
  await tx.verifyKey.deleteMany({ where: { serverName, recordId: { in: recordIds } } });
}
