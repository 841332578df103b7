import { DAY_MS } from '../../../base/clock.js';
import type { Database } from '../../../store/db.js';
import { sql } from '../../../store/sql/sql.js';
import { causeOf, FAILURE_CAUSES, type FailureCause } from './failure-cause.js';

/** Servers whose last fetch failed for one cause, and how often fetches failed for it of late. */
export interface FailureGroup {
  cause: FailureCause;
  servers: number;
  /** Fetches that failed within the last day, and within the day before. */
  lastDay: number;
  dayBefore: number;
}

/** All groups; `isComplete` is false when there was more than is looked at. */
export interface FailureGroups {
  groups: readonly FailureGroup[];
  isComplete: boolean;
}

/** Rows of one look: both come from an index alone, 50,000 of them in some 15 ms. */
const MAX_SERVERS = 50_000;
const MAX_FETCHES = 50_000;

interface ServerColumns {
  reason: string;
  servers: number | string;
}

interface FetchColumns {
  reason: string | null;
  isLate: number | string;
  fetches: number | string;
}

/** Failing servers by cause, the largest group first. Failures of servers without a row of their own are not in it. */
export async function findFailureGroups({ plain }: Database, nowTs: number): Promise<FailureGroups> {
  const servers = await plain.query<ServerColumns>(sql`SELECT reason, COUNT(*) AS servers FROM (
      SELECT last_error_reason AS reason FROM remote_server WHERE last_error_reason IS NOT NULL
      ORDER BY last_error_reason LIMIT ${MAX_SERVERS}) AS failing GROUP BY reason`);
  const dayTs = BigInt(nowTs - DAY_MS);
  const fetches =
    await plain.query<FetchColumns>(sql`SELECT reason, is_late AS "isLate", COUNT(*) AS fetches FROM (
      SELECT reason, CASE WHEN started_ts >= ${dayTs} THEN 1 ELSE 0 END AS is_late FROM key_fetch
      WHERE outcome = 'failed' AND started_ts >= ${BigInt(nowTs - 2 * DAY_MS)}
      ORDER BY started_ts DESC LIMIT ${MAX_FETCHES}) AS failed GROUP BY reason, is_late`);
  const groups = FAILURE_CAUSES.map((cause) => ({
    cause,
    servers: sumOf(servers.filter(({ reason }) => causeOf(reason) === cause).map((row) => row.servers)),
    ...trendOf(fetches.filter(({ reason }) => causeOf(reason ?? '') === cause)),
  }));
  const looked = [
    [sumOf(servers.map((row) => row.servers)), MAX_SERVERS],
    [sumOf(fetches.map((row) => row.fetches)), MAX_FETCHES],
  ] as const;
  return {
    groups: groups.filter((group) => group.servers > 0).toSorted((a, b) => b.servers - a.servers),
    isComplete: looked.every(([count, most]) => count < most),
  };
}

function trendOf(rows: readonly FetchColumns[]): Pick<FailureGroup, 'lastDay' | 'dayBefore'> {
  const of = (isLate: boolean): number =>
    sumOf(rows.filter((row) => (Number(row.isLate) === 1) === isLate).map(({ fetches }) => fetches));
  return { lastDay: of(true), dayBefore: of(false) };
}

function sumOf(counts: readonly (number | string)[]): number {
  return counts.reduce<number>((sum, count) => sum + Number(count), 0);
}
