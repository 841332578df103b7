import { DAY_MS } from '../../../base/clock.js';
import type { Database } from '../../../store/db.js';
import { causeOf, FAILURE_CAUSES, type FailureCause } from './failure-cause.js';

/** Servers whose last fetch failed for one cause, and how often fetches failed for it of late. */
export interface FailureGroup {
  cause: FailureCause;
  servers: number;
  /** Fetches that failed within the last day, and within the day before. */
  lastDay: number;
  dayBefore: number;
}

/** Failing servers by cause, the largest group first. Failures of servers without a row of their own are not in it. */
export async function findFailureGroups({ client }: Database, nowTs: number): Promise<FailureGroup[]> {
  const servers = await client.remoteServer.groupBy({
    by: 'lastErrorReason',
    where: { lastErrorReason: { not: null } },
    _count: { serverName: true },
  });
  const failuresOf = (startedTs: { gte: bigint; lt?: bigint }) =>
    client.keyFetch.groupBy({ by: 'reason', where: { outcome: 'failed', startedTs }, _count: { id: true } });
  const dayTs = BigInt(nowTs - DAY_MS);
  const lastDay = await failuresOf({ gte: dayTs });
  const dayBefore = await failuresOf({ gte: BigInt(nowTs - 2 * DAY_MS), lt: dayTs });
  const groups = FAILURE_CAUSES.map((cause) => {
    const fetchesOf = (rows: typeof lastDay): number =>
      sum(rows.filter(({ reason }) => causeOf(reason ?? '') === cause).map(({ _count }) => _count.id));
    const failing = servers.filter(({ lastErrorReason }) => causeOf(lastErrorReason ?? '') === cause);
    return {
      cause,
      servers: sum(failing.map(({ _count }) => _count.serverName)),
      lastDay: fetchesOf(lastDay),
      dayBefore: fetchesOf(dayBefore),
    };
  });
  return groups.filter((group) => group.servers > 0).toSorted((a, b) => b.servers - a.servers);
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
