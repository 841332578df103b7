import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, sql } from '../../../store/sql/sql.js';

/**
 * Records of one server that stay answerable. Without a bound an origin that renames its keys all the time could
 * make the answer for "all keys" as large as it likes.
 */
const MAX_ANSWERABLE_RECORDS = 64;

/** A key id that the newest record no longer lists, with the record it points to. */
export interface VanishedKey {
  recordId: number;
  firstSeenTs: bigint;
  lastSeenTs: bigint;
}

/**
 * Takes vanished keys out of the index, inside the caller's transaction, when they lead to more records than are
 * answered: those that were in use for the shortest time, so that nobody who got hold of an origin for a while can
 * push out the keys it really used. The records themselves stay in the history.
 */
export async function forgetBriefestVanished(
  runner: SqlRunner,
  serverName: string,
  vanished: readonly VanishedKey[],
): Promise<void> {
  const usedMs = new Map<number, bigint>();
  for (const { recordId, firstSeenTs, lastSeenTs } of vanished) {
    const longest = usedMs.get(recordId) ?? -1n;
    const used = lastSeenTs - firstSeenTs;
    usedMs.set(recordId, used > longest ? used : longest);
  }
  // One place is the newest record's.
  const surplus = usedMs.size - (MAX_ANSWERABLE_RECORDS - 1);
  if (surplus <= 0) return;
  const briefest = [...usedMs].toSorted(([idA, a], [idB, b]) => (a === b ? idA - idB : a < b ? -1 : 1));
  const recordIds = briefest.slice(0, surplus).map(([recordId]) => recordId);
  await runner.write(
    sql`DELETE FROM verify_key WHERE server_name = ${serverName} AND record_id IN (${listOf(recordIds)})`,
  );
}
