import type { FetchLogEntry } from '../../notary/keys/fetch-store.js';
import { STEP_STATUSES, type TraceStep } from '../../base/trace.js';
import { isRecord } from '../../base/json/is-record.js';
import { enumColumn } from '../../store/enum-column.js';
import type { Database } from '../../store/db.js';
import { newestFirst } from '../../store/lists/keyset-cursor.js';
import { RecordList, type Listing } from '../../store/lists/record-list.js';
import { describeStoredSteps, type DescribedStep } from '../diagnosis/describe-step.js';

/** One attempt to fetch a server's keys; a row of key_fetch. */
export interface FetchRow extends Omit<FetchLogEntry, 'cause' | 'recordId' | 'steps'> {
  id: number;
  /** query, operator or job. */
  cause: string;
}

/** Which attempts; `outcome` null: all of them. */
export interface FetchFilter {
  serverName: string;
  outcome: FetchRow['outcome'] | null;
}

/** Attempts at a server, newest first. */
export function createFetchList(database: Database): RecordList<FetchFilter, number, FetchRow> {
  return new RecordList(database, {
    listing,
    find: (ids) => findFetches(database, ids),
    keyOf: ({ id }) => id,
  });
}

/** Attempts by row id, in any order. */
async function findFetches(database: Database, ids: readonly number[]): Promise<FetchRow[]> {
  const rows = await database.client.keyFetch.findMany({
    where: { id: { in: [...ids] } },
    omit: { steps: true, recordId: true },
  });
  return rows.map((row) => ({
    ...row,
    startedTs: Number(row.startedTs),
    outcome: row.outcome === 'ok' ? 'ok' : 'failed',
  }));
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
  return findFetches(
    database,
    latest.flatMap(({ _max }) => (_max.id === null ? [] : [_max.id])),
  );
}

/** The steps of attempts, by row id. */
export async function findFetchSteps(
  database: Database,
  ids: readonly number[],
): Promise<Map<number, DescribedStep[]>> {
  const rows = await database.client.keyFetch.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, steps: true },
  });
  return new Map(rows.map(({ id, steps }) => [id, describeStoredSteps(stepsOf(steps))]));
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

function listing({ serverName, outcome }: FetchFilter): Listing {
  // The attempts at one server are few.
  const where = outcome === null ? { serverName } : { serverName, outcome };
  return { ...newestFirst('keyFetch'), conditions: [{ where, servedBy: ['id'] }] };
}
