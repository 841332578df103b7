import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Database } from '../../../store/db.js';

/** How many servers of the key store there are, and in which state their newest record is. */
export interface ServerMeasurement {
  servers: number;
  expired: number;
  failing: number;
}

/** Sums of no rows are null. */
type ServerWindow = Record<keyof ServerMeasurement, bigint | number | null> & { last: string | null };

const WINDOW_ROWS = 5000;

/** Counts all servers in windows that leave the event loop free in between. */
export async function measureServers(
  { client }: Database,
  { nowTs, signal }: { nowTs: number; signal: AbortSignal },
): Promise<ServerMeasurement> {
  const sums: ServerMeasurement = { servers: 0, expired: 0, failing: 0 };
  const now = BigInt(nowTs);
  for (let after = ''; ; await nextTurn()) {
    signal.throwIfAborted();
    const [found] = await client.$queryRaw<ServerWindow[]>`
      SELECT COUNT(*) AS servers, MAX(server_name) AS last,
        SUM(CASE WHEN valid_until_ts <= ${now} THEN 1 ELSE 0 END) AS expired,
        SUM(CASE WHEN fail_count > 0 THEN 1 ELSE 0 END) AS failing
      FROM (SELECT server_name, valid_until_ts, fail_count FROM remote_server
        WHERE server_name > ${after} ORDER BY server_name LIMIT ${WINDOW_ROWS}) AS piece`;
    if (found === undefined || found.last === null) return sums;
    for (const name of ['servers', 'expired', 'failing'] as const) sums[name] += Number(found[name] ?? 0);
    after = found.last;
  }
}

/** Counts all stored previews likewise. */
export async function measurePreviews({ client }: Database, signal: AbortSignal): Promise<number> {
  let stored = 0;
  for (let after = 0; ; await nextTurn()) {
    signal.throwIfAborted();
    const [found] = await client.$queryRaw<{ rows: bigint | number; last: number | null }[]>`
      SELECT COUNT(*) AS rows, MAX(id) AS last
      FROM (SELECT id FROM preview_cache WHERE id > ${after} ORDER BY id LIMIT ${WINDOW_ROWS}) AS piece`;
    if (found === undefined || found.last === null) return stored;
    stored += Number(found.rows);
    after = found.last;
  }
}
