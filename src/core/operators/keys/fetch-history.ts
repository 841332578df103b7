import { isRecord } from '../../base/json/is-record.js';
import { STEP_STATUSES, type TimedStep, type TraceStep } from '../../base/trace.js';
import type { Database } from '../../store/db.js';
import { enumColumn } from '../../store/enum-column.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import { RecordList } from '../../store/lists/record-list.js';
import { plainRow } from '../../store/plain-row.js';
import { describeStoredSteps } from '../diagnosis/describe-step.js';

/** One attempt to fetch a server's keys. */
export type FetchRow = Awaited<ReturnType<typeof findFetches>>[number];

/** Which attempts; `outcome` null: all of them. */
export interface FetchFilter {
  serverName: string;
  outcome: FetchRow['outcome'] | null;
}

/** Attempts at a server, newest first. */
export function fetchList(database: Database): RecordList<FetchFilter, number, FetchRow> {
  return new RecordList(database, {
    // The attempts at one server are few.
    listing: ({ serverName, outcome }) => ({
      ...newestFirst('keyFetch'),
      conditions: [{ where: outcome === null ? { serverName } : { serverName, outcome }, servedBy: ['id'] }],
    }),
    find: (ids) => findFetches(database, ids),
    keyOf: ({ id }) => id,
  });
}

const outcomeOf = enumColumn(['ok', 'failed'], 'failed');

/** Attempts by row id, in any order. */
async function findFetches({ client }: Database, ids: readonly number[]) {
  const rows = await client.keyFetch.findMany({
    where: { id: { in: [...ids] } },
    omit: { steps: true, recordId: true },
  });
  return rows.map((row) => ({ ...plainRow(row), outcome: outcomeOf(row.outcome) }));
}

/** The latest attempt at each server, in any order. */
export async function findLatestFetches(
  database: Database,
  serverNames: readonly string[],
): Promise<FetchRow[]> {
  if (serverNames.length === 0) return [];
  const latest = await database.client.keyFetch.groupBy({
    by: 'serverName',
    where: { serverName: { in: [...serverNames] } },
    _max: { id: true },
  });
  const ids = latest.flatMap(({ _max }) => _max.id ?? []);
  return findFetches(database, ids);
}

/** The steps of attempts, in any order. */
export async function findFetchSteps(
  database: Database,
  ids: readonly number[],
): Promise<{ id: number; steps: TimedStep[] }[]> {
  const rows = await database.client.keyFetch.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, steps: true },
  });
  return rows.map(({ id, steps }) => ({ id, steps: describeStoredSteps(stepsOf(steps)) }));
}

const statusOf = enumColumn(STEP_STATUSES, 'warning');

/** Steps as they were stored; what is none is left out. */
function stepsOf(column: unknown): TraceStep[] {
  if (!Array.isArray(column)) return [];
  return column.filter(isRecord).map(({ name, status, ms, sentence, detail }) => ({
    name: String(name),
    status: statusOf(String(status)),
    ms: Number(ms),
    sentence: String(sentence),
    ...(isRecord(detail) ? { detail: factsOf(detail) } : {}),
  }));
}

function factsOf(detail: Record<string, unknown>): Record<string, string | number> {
  const facts = Object.entries(detail).map(([name, fact]): [string, string | number] => [
    name,
    typeof fact === 'number' ? fact : String(fact),
  ]);
  return Object.fromEntries(facts);
}
