import { storableJsonText, storableText } from '../../base/text/storable-text.js';
import type { FetchStep } from '../federation/fetch-trace.js';
import type { ServerHealth } from './fetch-throttle.js';
import type { Database } from '../../store/db.js';
import { type InsertRow, type InsertTarget, insertRows } from '../../store/sql/insert-rows.js';
import type { SqlRunner } from '../../store/sql/plain-sql.js';
import { listOf, paddedNames, sql } from '../../store/sql/sql.js';

/** One attempt to fetch a server's keys; a row of key_fetch. */
export interface FetchLogEntry {
  serverName: string;
  startedTs: number;
  durationMs: number;
  outcome: 'ok' | 'failed';
  /** Failure code such as `tls_wrong_name`; `null` when it went well. */
  reason: string | null;
  message: string | null;
  /** Who asked: a peer's query, the operator, or a job. */
  cause: FetchCause;
  recordId: number | null;
  steps: readonly FetchStep[];
}

export type FetchCause = 'query' | 'operator' | 'job';

/** Health of remote servers and the log of fetches. */
export class FetchStore {
  constructor(private readonly database: Database) {}

  /** Remembered health of each server; servers nobody fetched from are absent. */
  async findHealth(serverNames: readonly string[]): Promise<Map<string, ServerHealth>> {
    const rows = await this.database.plain.query<HealthColumns>(sql`SELECT server_name, first_asked_ts,
      last_fetch_ts, last_ok_ts, fail_count, next_try_ts, last_error_reason, last_error_message, throttle_tokens,
      throttle_tokens_ts FROM remote_server WHERE server_name IN (${listOf(paddedNames(serverNames))})`);
    return new Map(rows.map((row) => [row.server_name, healthOf(row)]));
  }

  /** Stores the health of servers, inside the caller's transaction; each server once. */
  async saveHealth(runner: SqlRunner, health: ReadonlyMap<string, ServerHealth>): Promise<void> {
    await insertRows(runner, HEALTH, Array.from(health, healthRow));
  }

  /** Appends attempts to the log, inside the caller's transaction. */
  async saveFetches(runner: SqlRunner, entries: readonly FetchLogEntry[]): Promise<void> {
    await insertRows(runner, { table: 'key_fetch' }, entries.map(fetchRow));
  }

  /** Failed fetches below a registrable domain that left no rows of their own. */
  async countFailures(domain: string): Promise<number> {
    const { _sum } = await this.database.client.failedFetch.aggregate({
      where: { domain },
      _sum: { attempts: true },
    });
    return Number(_sum.attempts ?? 0n);
  }

  /**
   * Deletes attempts that started before `beforeTs`, and servers without a record that were never reached and that
   * nobody fetched since.
   * At most `limit` rows of each a call; returns how many rows went.
   */
  async prune(beforeTs: number, limit: number): Promise<number> {
    const { client } = this.database;
    const fetches = await client.keyFetch.findMany({
      where: { startedTs: { lt: BigInt(beforeTs) } },
      orderBy: { startedTs: 'asc' },
      take: limit,
      select: { id: true },
    });
    const removed = await client.keyFetch.deleteMany({ where: { id: { in: fetches.map((row) => row.id) } } });
    // By the index of servers without a record: that of fetches would lead through all that nobody asks for any more.
    const dead = await client.remoteServer.findMany({
      where: { addedTs: null, lastOkTs: null, lastFetchTs: { lt: BigInt(beforeTs) } },
      take: limit,
      select: { serverName: true },
    });
    const forgotten = await client.remoteServer.deleteMany({
      where: { serverName: { in: dead.map((row) => row.serverName) }, lastOkTs: null },
    });
    await client.failedFetch.deleteMany({ where: { lastTs: { lt: BigInt(beforeTs) } } });
    return removed.count + forgotten.count;
  }
}

interface HealthColumns {
  server_name: string;
  first_asked_ts: number | string;
  last_fetch_ts: number | string | null;
  last_ok_ts: number | string | null;
  fail_count: number;
  next_try_ts: number | string;
  last_error_reason: string | null;
  last_error_message: string | null;
  throttle_tokens: number;
  throttle_tokens_ts: number | string;
}

function healthOf(row: HealthColumns): ServerHealth {
  return {
    firstAskedTs: Number(row.first_asked_ts),
    lastFetchTs: row.last_fetch_ts === null ? null : Number(row.last_fetch_ts),
    lastOkTs: row.last_ok_ts === null ? null : Number(row.last_ok_ts),
    failCount: row.fail_count,
    nextTryTs: Number(row.next_try_ts),
    lastErrorReason: row.last_error_reason,
    lastErrorMessage: row.last_error_message,
    throttleTokens: row.throttle_tokens,
    throttleTokensTs: Number(row.throttle_tokens_ts),
  };
}

const HEALTH: InsertTarget = {
  table: 'remote_server',
  conflict: `ON CONFLICT (server_name) DO UPDATE SET first_asked_ts = excluded.first_asked_ts,
    last_fetch_ts = excluded.last_fetch_ts, last_ok_ts = excluded.last_ok_ts, fail_count = excluded.fail_count,
    next_try_ts = excluded.next_try_ts, last_error_reason = excluded.last_error_reason,
    last_error_message = excluded.last_error_message, throttle_tokens = excluded.throttle_tokens,
    throttle_tokens_ts = excluded.throttle_tokens_ts`,
};

function healthRow([serverName, health]: readonly [string, ServerHealth]): InsertRow {
  return {
    server_name: serverName,
    first_asked_ts: BigInt(health.firstAskedTs),
    last_fetch_ts: health.lastFetchTs === null ? null : BigInt(health.lastFetchTs),
    last_ok_ts: health.lastOkTs === null ? null : BigInt(health.lastOkTs),
    fail_count: health.failCount,
    next_try_ts: BigInt(health.nextTryTs),
    last_error_reason: health.lastErrorReason,
    last_error_message: health.lastErrorMessage === null ? null : storableText(health.lastErrorMessage),
    throttle_tokens: health.throttleTokens,
    throttle_tokens_ts: BigInt(health.throttleTokensTs),
  };
}

function fetchRow(entry: FetchLogEntry): InsertRow {
  return {
    server_name: entry.serverName,
    started_ts: BigInt(entry.startedTs),
    duration_ms: entry.durationMs,
    outcome: entry.outcome,
    reason: entry.reason,
    message: entry.message === null ? null : storableText(entry.message),
    cause: entry.cause,
    record_id: entry.recordId,
    steps: storedSteps(entry.steps),
  };
}

/** What a row of key_fetch may hold of its steps; the budget of a domain counts as much for the whole row. */
const MAX_STEPS_BYTES = 2048;
/** Tried in turn: whole texts up to this length are more than an honest server ever needs. */
const TEXT_LENGTHS = [Infinity, 200, 80];

/**
 * The steps of a fetch as they are stored. Whoever answers chooses how many targets, addresses and names there are, so
 * long texts are cut; if that is not enough the steps in the middle go, and those that tell how it ended stay.
 */
function storedSteps(steps: readonly FetchStep[]): string {
  for (const length of TEXT_LENGTHS) {
    const text = storableJsonText(steps.map((step) => cut(step, length)));
    if (isShort(text)) return text;
  }
  const left = steps.map((step) => cut(step, TEXT_LENGTHS.at(-1) ?? 0));
  for (;;) {
    left.splice(Math.floor(left.length / 2), 1);
    const text = storableJsonText(left);
    if (isShort(text)) return text;
  }
}

const isShort = (text: string): boolean => Buffer.byteLength(text) <= MAX_STEPS_BYTES;

function cut(step: FetchStep, length: number): FetchStep {
  const sentence = cutText(step.sentence, length);
  if (step.detail === undefined) return { ...step, sentence };
  const detail = Object.fromEntries(
    Object.entries(step.detail).map(([name, value]) => [
      name,
      typeof value === 'string' ? cutText(value, length) : value,
    ]),
  );
  return { ...step, sentence, detail };
}

/** Never in the middle of a character: databases take no half of one. */
const cutText = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
