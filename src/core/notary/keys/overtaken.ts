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
 * newest all the same.
 */
export function wasOvertaken({ fetched: { fetchedTs }, known }: FetchOfKnown): boolean {
  return known.some(({ lastSeenTs }) => {
    const aheadMs = Number(lastSeenTs) - fetchedTs;
    return aheadMs > 0 && aheadMs <= CLOCKS_APART_MS;
  });
}

/**
 * Dates what comes from a clock that was set back to before a fetch that was not overtaken, the latest just before it
 * and the rest as far apart as they were, inside the caller's transaction: the newest record is the one seen last.
 * Nothing is written when nothing lies ahead.
 */
export async function dateBack(runner: SqlRunner, { fetched, known }: FetchOfKnown): Promise<void> {
  const { fetchedTs, record } = fetched;
  // Each record that was seen led a key to itself, so that the latest is among these.
  const latestTs = known.reduce((latest, { lastSeenTs }) => Math.max(latest, Number(lastSeenTs)), 0);
  const aheadMs = latestTs - fetchedTs;
  if (aheadMs <= CLOCKS_APART_MS) return;
  const backMs = BigInt(aheadMs + 1);
  // What another instance stores at this moment is not so far ahead.
  const aheadFromTs = BigInt(fetchedTs + CLOCKS_APART_MS + 1);
  const change = sql`SET last_seen_ts = last_seen_ts - ${backMs},
    first_seen_ts = CASE WHEN first_seen_ts >= ${aheadFromTs} THEN first_seen_ts - ${backMs}
      WHEN first_seen_ts > last_seen_ts - ${backMs} THEN last_seen_ts - ${backMs} ELSE first_seen_ts END
    WHERE server_name = ${record.serverName} AND last_seen_ts >= ${aheadFromTs}`;
  await runner.write(sql`UPDATE key_record ${change}`);
  await runner.write(sql`UPDATE verify_key ${change}`);
  await runner.write(sql`UPDATE newest_record SET from_ts = from_ts - ${backMs}
    WHERE server_name = ${record.serverName} AND from_ts >= ${aheadFromTs}`);
}
