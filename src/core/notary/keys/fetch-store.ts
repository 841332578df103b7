import type { Database, DbTransaction } from '../../store/db.js';
import { insertRows } from '../../store/sql/insert-rows.js';
import type { InsertTarget } from '../../store/sql/insert-rows.js';
import type { ColumnValue } from '../../store/sql/sql.js';
import { storableJsonText, storableText } from '../../base/text/storable-text.js';
import type { FetchStep } from '../federation/fetch-trace.js';
import type { ServerHealth } from './fetch-throttle.js';

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
    const rows = await this.database.client.remoteServer.findMany({
      where: { serverName: { in: [...serverNames] } },
    });
    return new Map(
      rows.map((row) => [
        row.serverName,
        {
          firstAskedTs: Number(row.firstAskedTs),
          lastFetchTs: row.lastFetchTs === null ? null : Number(row.lastFetchTs),
          lastOkTs: row.lastOkTs === null ? null : Number(row.lastOkTs),
          failCount: row.failCount,
          nextTryTs: Number(row.nextTryTs),
          lastErrorReason: row.lastErrorReason,
          lastErrorMessage: row.lastErrorMessage,
          throttleTokens: row.throttleTokens,
          throttleTokensTs: Number(row.throttleTokensTs),
        },
      ]),
    );
  }

  /** Stores the health of servers, inside the caller's transaction; each server once. */
  async saveHealth(tx: DbTransaction, health: ReadonlyMap<string, ServerHealth>): Promise<void> {
    await insertRows(tx, HEALTH, Array.from(health, healthRow));
  }

  /** Appends attempts to the log, inside the caller's transaction. */
  async saveFetches(tx: DbTransaction, entries: readonly FetchLogEntry[]): Promise<void> {
    await insertRows(tx, FETCHES, entries.map(fetchRow));
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
   * Deletes attempts that started before `beforeTs`, and servers never reached that nobody fetched since.
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
    const dead = await client.remoteServer.findMany({
      where: { lastFetchTs: { lt: BigInt(beforeTs) }, lastOkTs: null },
      orderBy: { lastFetchTs: 'asc' },
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

const HEALTH: InsertTarget = {
  table: 'remote_server',
  columns: [
    'server_name',
    'first_asked_ts',
    'last_fetch_ts',
    'last_ok_ts',
    'fail_count',
    'next_try_ts',
    'last_error_reason',
    'last_error_message',
    'throttle_tokens',
    'throttle_tokens_ts',
  ],
  conflict: `ON CONFLICT (server_name) DO UPDATE SET first_asked_ts = excluded.first_asked_ts,
    last_fetch_ts = excluded.last_fetch_ts, last_ok_ts = excluded.last_ok_ts, fail_count = excluded.fail_count,
    next_try_ts = excluded.next_try_ts, last_error_reason = excluded.last_error_reason,
    last_error_message = excluded.last_error_message, throttle_tokens = excluded.throttle_tokens,
    throttle_tokens_ts = excluded.throttle_tokens_ts`,
};

function healthRow([serverName, health]: readonly [string, ServerHealth]): ColumnValue[] {
  return [
    serverName,
    BigInt(health.firstAskedTs),
    health.lastFetchTs === null ? null : BigInt(health.lastFetchTs),
    health.lastOkTs === null ? null : BigInt(health.lastOkTs),
    health.failCount,
    BigInt(health.nextTryTs),
    health.lastErrorReason,
    health.lastErrorMessage === null ? null : storableText(health.lastErrorMessage),
    health.throttleTokens,
    BigInt(health.throttleTokensTs),
  ];
}

const FETCHES: InsertTarget = {
  table: 'key_fetch',
  columns: [
    'server_name',
    'started_ts',
    'duration_ms',
    'outcome',
    'reason',
    'message',
    'cause',
    'record_id',
    'steps',
  ],
  conflict: '',
};

function fetchRow(entry: FetchLogEntry): ColumnValue[] {
  return [
    entry.serverName,
    BigInt(entry.startedTs),
    entry.durationMs,
    entry.outcome,
    entry.reason,
    entry.message === null ? null : storableText(entry.message),
    entry.cause,
    entry.recordId,
    storableJsonText(entry.steps),
  ];
}
