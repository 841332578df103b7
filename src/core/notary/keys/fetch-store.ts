import { storableJson, storableJsonText, storableText } from '../../base/text/storable-text.js';
import type { FetchStep } from '../federation/fetch-trace.js';
import type { ServerHealth } from './server-health.js';
import type { Database, DbTransaction, RemoteServerRow } from '../../store/db.js';
import { insertRows } from '../../store/hot-sql.js';

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

const HEALTH = {
  table: 'remote_server',
  conflict: `ON CONFLICT (server_name) DO UPDATE SET first_asked_ts = excluded.first_asked_ts,
    last_fetch_ts = excluded.last_fetch_ts, last_ok_ts = excluded.last_ok_ts, fail_count = excluded.fail_count,
    next_try_ts = excluded.next_try_ts, last_error_reason = excluded.last_error_reason,
    last_error_message = excluded.last_error_message`,
};

/** Health of remote servers and the log of fetches. */
export class FetchStore {
  constructor(private readonly database: Database) {}

  /** Remembered health of each server; servers nobody fetched from are absent. */
  async findHealth(serverNames: readonly string[]): Promise<Map<string, ServerHealth>> {
    const where = { serverName: { in: [...serverNames] } };
    const rows = await this.database.client.remoteServer.findMany({ where });
    return new Map(rows.map((row) => [row.serverName, healthOf(row)]));
  }

  /** Stores the health of servers, inside the caller's transaction; each server once. */
  async saveHealth(tx: DbTransaction, health: ReadonlyMap<string, ServerHealth>): Promise<void> {
    const rows = Array.from(health, ([serverName, one]) => ({ serverName, ...healthRow(one) }));
    await insertRows(tx, HEALTH, rows);
  }

  /** Appends attempts to the log, inside the caller's transaction. */
  async saveFetches(tx: DbTransaction, entries: readonly FetchLogEntry[]): Promise<void> {
    await insertRows(tx, { table: 'key_fetch' }, entries.map(fetchRow));
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
    return removed.count + forgotten.count;
  }
}

function healthOf(row: RemoteServerRow): ServerHealth {
  const { failCount, lastErrorReason, lastErrorMessage } = row;
  return {
    firstAskedTs: Number(row.firstAskedTs),
    lastFetchTs: row.lastFetchTs === null ? null : Number(row.lastFetchTs),
    lastOkTs: row.lastOkTs === null ? null : Number(row.lastOkTs),
    failCount,
    nextTryTs: Number(row.nextTryTs),
    lastErrorReason,
    lastErrorMessage,
  };
}

function healthRow(health: ServerHealth) {
  return {
    ...health,
    firstAskedTs: BigInt(health.firstAskedTs),
    lastFetchTs: health.lastFetchTs === null ? null : BigInt(health.lastFetchTs),
    lastOkTs: health.lastOkTs === null ? null : BigInt(health.lastOkTs),
    nextTryTs: BigInt(health.nextTryTs),
    lastErrorMessage: health.lastErrorMessage === null ? null : storableText(health.lastErrorMessage),
  };
}

function fetchRow({ steps, message, startedTs, ...entry }: FetchLogEntry) {
  return {
    ...entry,
    startedTs: BigInt(startedTs),
    message: message === null ? null : storableText(message),
    steps: storableJson(storedSteps(steps)),
  };
}

/** What a row of key_fetch may hold of its steps; the budget of a domain counts as much for the whole row. */
const MAX_STEPS_BYTES = 2048;
/** Of a text in steps that are too long together; more than an honest server ever needs. */
const MAX_TEXT_LENGTH = 200;

/**
 * The steps of a fetch as they are stored. Servers choose how many targets, addresses and names there are, so long
 * texts are cut; if that is not enough the steps in the middle go, and those that tell how it ended stay.
 */
function storedSteps(steps: readonly FetchStep[]): readonly FetchStep[] {
  if (isShort(steps)) return steps;
  const left = steps.map(shortened);
  while (!isShort(left)) left.splice(Math.floor(left.length / 2), 1);
  return left;
}

const isShort = (steps: readonly FetchStep[]): boolean =>
  Buffer.byteLength(storableJsonText(steps)) <= MAX_STEPS_BYTES;

function shortened(step: FetchStep): FetchStep {
  const sentence = cutText(step.sentence);
  if (step.detail === undefined) return { ...step, sentence };
  const detail = Object.fromEntries(
    Object.entries(step.detail).map(([name, value]) => [
      name,
      typeof value === 'string' ? cutText(value) : value,
    ]),
  );
  return { ...step, sentence, detail };
}

/** Never in the middle of a character: databases take no half of one. */
const cutText = (text: string): string =>
  text.length <= MAX_TEXT_LENGTH
    ? text
    : `${text.slice(0, MAX_TEXT_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
