import { CLOCKS_APART_MS } from '../../base/clock.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { sql } from '../../store/sql/sql.js';
import type { FetchedRecord } from './saving/record-rows.js';

/** A fetched record with what is stored of the keys of its server. */
interface FetchOfKnown {
  fetched: FetchedRecord;
  known: readonly { lastSeenTs: bigint }[];
}

/**
 * Whether another instance stored a later fetch of the server meanwhile. After a clock was set back a fetch is the
 * newest all the same; an import, whose times are of long ago, never is when something lies ahead of it.
 */
export function wasOvertaken({ fetched: { fetchedTs, isImported }, known }: FetchOfKnown): boolean {
  return known.some(({ lastSeenTs }) => {
    const aheadMs = Number(lastSeenTs) - fetchedTs;
    return aheadMs > 0 && (isImported === true || aheadMs <= CLOCKS_APART_MS);
  });
}

/**
 * Dates what comes from a clock that was set back to just before a fetch that was not overtaken, in the order it has,
 * inside the caller's transaction: the newest record is the one seen last. Nothing is written when nothing lies ahead.
 */
export async function dateBack(runner: SqlRunner, { fetched, known }: FetchOfKnown): Promise<void> {
  const { fetchedTs, record } = fetched;
  const aheadFromTs = fetchedTs + CLOCKS_APART_MS + 1;
  const ahead = new Set(known.map(({ lastSeenTs }) => Number(lastSeenTs)).filter((ts) => ts >= aheadFromTs));
  if (ahead.size === 0) return;
  // The last one is for records that no key leads to any more.
  const latestFirst = [...Array.from(ahead).toSorted((a, b) => b - a), aheadFromTs];
  for (const [index, fromTs] of latestFirst.entries()) {
    const seenTs = BigInt(fetchedTs - 1 - index);
    // What another instance stores at this moment is not so far ahead.
    const change = sql`SET last_seen_ts = ${seenTs},
      first_seen_ts = CASE WHEN first_seen_ts > ${seenTs} THEN ${seenTs} ELSE first_seen_ts END
      WHERE server_name = ${record.serverName} AND last_seen_ts >= ${BigInt(fromTs)}`;
    await runner.write(sql`UPDATE key_record ${change}`);
    await runner.write(sql`UPDATE verify_key ${change}`);
  }
  await runner.write(sql`UPDATE newest_record SET from_ts = ${BigInt(fetchedTs - 1)}
    WHERE server_name = ${record.serverName} AND from_ts >= ${BigInt(aheadFromTs)}`);
}
