import { DAY_MS } from '../../../base/clock.js';
import type { Database } from '../../../store/db.js';
import { causeOf, type FailureCause } from './failure-cause.js';

/** Servers whose last fetch failed for one cause. */
export interface FailureGroup {
  cause: FailureCause;
  servers: number;
  /** Fetches that failed for it in the last 24 hours. */
  lastDay: number;
}

/** Failing servers by cause, largest group first. */
export async function findFailureGroups({ client }: Database, nowTs: number): Promise<FailureGroup[]> {
  const servers = await client.remoteServer.groupBy({
    by: ['lastErrorReason'],
    where: { lastErrorReason: { not: null } },
    _count: { _all: true },
  });
  const fetches = await client.keyFetch.groupBy({
    by: ['reason'],
    where: { outcome: 'failed', startedTs: { gte: nowTs - DAY_MS } },
    _count: { _all: true },
  });
  const failing = servers.map(({ lastErrorReason, _count }) => [lastErrorReason, _count._all] as const);
  const failed = fetches.map(({ reason, _count }) => [reason, _count._all] as const);
  return [...new Set(failing.map(([reason]) => causeOf(reason ?? '')))]
    .map((cause) => ({ cause, servers: sumOf(failing, cause), lastDay: sumOf(failed, cause) }))
    .toSorted((a, b) => b.servers - a.servers);
}

function sumOf(counts: readonly (readonly [string | null, number])[], cause: FailureCause): number {
  return counts
    .filter(([reason]) => causeOf(reason ?? '') === cause)
    .reduce((sum, [, count]) => sum + count, 0);
}
