import type { ServerHealth } from '../../notary/keys/fetch-store.js';
import type { Database } from '../../store/db.js';

/** What lists show of a remote server; a row of remote_server. Times are POSIX ms. */
export interface ServerRow extends ServerHealth {
  serverName: string;
  /** Of the newest record; null without one. `validUntilTs` is clamped to 2^53-1. */
  addedTs: number | null;
  validUntilTs: number | null;
  /** Half-way point of the newest record (SPEC §4.4.4). */
  dueTs: number | null;
  /** Key IDs that are answered. */
  keyCount: number;
  /** The first event about a replaced key that nobody has acknowledged. */
  alarmSeq: number | null;
}

/** `due`: past the half-way point, the next query fetches anew. `expired`: past `valid_until_ts`. */
export type KeyState = 'fresh' | 'due' | 'expired';

/** State of the newest record of a server, or of any record; null without one. */
export function keyStateOf(
  { validUntilTs, dueTs }: Pick<ServerRow, 'validUntilTs' | 'dueTs'>,
  nowTs: number,
): KeyState | null {
  if (validUntilTs === null || dueTs === null) return null;
  if (validUntilTs < nowTs) return 'expired';
  return dueTs < nowTs ? 'due' : 'fresh';
}

/** The servers of these names, in any order; those nobody asked about are absent. */
export async function findServers(database: Database, serverNames: readonly string[]): Promise<ServerRow[]> {
  const rows = await database.client.remoteServer.findMany({
    where: { serverName: { in: [...serverNames] } },
  });
  return rows.map((row) => ({
    ...row,
    firstAskedTs: Number(row.firstAskedTs),
    lastFetchTs: numberOf(row.lastFetchTs),
    lastOkTs: numberOf(row.lastOkTs),
    nextTryTs: Number(row.nextTryTs),
    addedTs: numberOf(row.addedTs),
    validUntilTs: numberOf(row.validUntilTs),
    dueTs: numberOf(row.dueTs),
  }));
}

function numberOf(ts: bigint | null): number | null {
  return ts === null ? null : Math.min(Number(ts), Number.MAX_SAFE_INTEGER);
}
