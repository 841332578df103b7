import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, paddedNames, sql } from '../../../store/sql/sql.js';

/** Names of one statement. */
const MAX_NAMES = 32;

/**
 * Brings what remote_server repeats of a server's keys in line with them, inside the caller's transaction: times of
 * the newest record and the number of key IDs. Records that no key ID leads to any more do not count.
 */
export async function updateSummaries(runner: SqlRunner, serverNames: readonly string[]): Promise<void> {
  for (let at = 0; at < serverNames.length; at += MAX_NAMES) {
    const names = paddedNames(serverNames.slice(at, at + MAX_NAMES));
    await runner.write(sql`UPDATE remote_server SET
        key_count = (SELECT COUNT(*) FROM verify_key k WHERE k.server_name = remote_server.server_name),
        (added_ts, valid_until_ts, due_ts) = (
          SELECT r.last_seen_ts, r.valid_until_ts,
            r.last_seen_ts / 2 + r.valid_until_ts / 2 + (r.last_seen_ts % 2 + r.valid_until_ts % 2) / 2
          FROM verify_key k JOIN key_record r ON r.id = k.record_id
          WHERE k.server_name = remote_server.server_name
          ORDER BY r.last_seen_ts DESC, r.id DESC LIMIT 1)
      WHERE server_name IN (${listOf(names)})`);
  }
}
