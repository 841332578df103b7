import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Database } from '../../../store/db.js';

/** How many servers of the key store there are, and in which state their newest record is. */
export interface ServerMeasurement {
  servers: number;
  expired: number;
  failing: number;
}

const WINDOW_ROWS = 5000;

/** Counts all servers in windows that leave the event loop free in between. */
export async function measureServers(
  { client }: Database,
  { nowTs, signal }: { nowTs: number; signal: AbortSignal },
): Promise<ServerMeasurement> {
  const sums: ServerMeasurement = { servers: 0, expired: 0, failing: 0 };
  const { remoteServer } = client;
  for (let after = ''; ; await nextTurn()) {
    signal.throwIfAborted();
    const last = await remoteServer.findFirst({
      where: { serverName: { gt: after } },
      orderBy: { serverName: 'asc' },
      skip: WINDOW_ROWS - 1,
      select: { serverName: true },
    });
    const serverName = last === null ? { gt: after } : { gt: after, lte: last.serverName };
    sums.servers += await remoteServer.count({ where: { serverName } });
    sums.expired += await remoteServer.count({ where: { serverName, validUntilTs: { lte: nowTs } } });
    sums.failing += await remoteServer.count({ where: { serverName, failCount: { gt: 0 } } });
    if (last === null) return sums;
    after = last.serverName;
  }
}

/** Counts all stored previews likewise. */
export async function measurePreviews({ client }: Database, signal: AbortSignal): Promise<number> {
  const { _max } = await client.previewCache.aggregate({ _max: { id: true } });
  let stored = 0;
  for (let after = 0; after < (_max.id ?? 0); after += WINDOW_ROWS) {
    signal.throwIfAborted();
    stored += await client.previewCache.count({ where: { id: { gt: after, lte: after + WINDOW_ROWS } } });
    await nextTurn();
  }
  return stored;
}
