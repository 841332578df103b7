import { storableText } from '../../base/text/strings.js';
import type { TraceStep } from '../../base/trace.js';
import type { Database, DbTransaction } from '../../store/db.js';
import { healthOfServers, insertRows, type HealthRow, type HotRow } from '../../store/hot-sql.js';
import { plainRow, type PlainRow } from '../../store/plain-row.js';
import { type FetchedRecord, toColumnTs } from '../key-record/record-signing.js';
import type { KeyEventDraft } from './key-changes.js';
import { type Clock, MINUTE_MS } from '../../base/clock.js';
import { isFault } from '../../base/errors/outbound-error.js';
import { entryCache } from '../../base/runtime/cache.js';

/** What is remembered of a remote server between fetches; `nextTryTs`: none goes out before it. */
export type ServerHealth = Omit<PlainRow<HealthRow>, 'serverName'>;

/** How long a server that fails is left alone. */
export interface BackoffSettings {
  /** Failures in a row after which waiting starts. */
  afterFailures: number;
  initialMs: number;
  maximumMs: number;
}

/** Longest pause while names are not resolved: it may be our own resolver that fails, for all names until it is back. */
const UNRESOLVED_MAXIMUM_MS = MINUTE_MS;

/** A server that nothing was fetched from. */
export function unknownHealth(nowTs: number): ServerHealth {
  return {
    firstAskedTs: nowTs,
    lastFetchTs: null,
    lastOkTs: null,
    failCount: 0,
    nextTryTs: 0,
    lastErrorReason: null,
    lastErrorMessage: null,
  };
}

/** Whether a server is not asked yet. A longer wait than there is comes from a clock that was set back. */
export function isBackingOff({ nextTryTs }: ServerHealth, nowTs: number, settings: BackoffSettings): boolean {
  const waitMs = nextTryTs - nowTs;
  return waitMs > 0 && waitMs <= settings.maximumMs;
}

/** Health after a fetch that brought an acceptable record. */
export function afterSuccess(health: ServerHealth, startedTs: number): ServerHealth {
  return { ...unknownHealth(health.firstAskedTs), lastFetchTs: startedTs, lastOkTs: startedTs };
}

/**
 * Health after a failed fetch: waiting doubles from the n-th failure in a row on, up to the maximum. A failure of this
 * server's own is recorded and holds nothing back.
 */
export function afterFailure(
  health: ServerHealth,
  failure: { startedTs: number; endedTs: number; reason: string; message: string },
  { afterFailures, initialMs, maximumMs }: BackoffSettings,
): ServerHealth {
  const { startedTs, endedTs, reason, message } = failure;
  const failed = {
    ...health,
    lastFetchTs: startedTs,
    lastErrorReason: reason,
    lastErrorMessage: message,
  };
  if (isFault(reason, 'busy', 'resolver')) return failed;
  const failCount = health.failCount + 1;
  const beyond = failCount - afterFailures;
  const longestMs = isFault(reason, 'unresolved') ? Math.min(maximumMs, UNRESOLVED_MAXIMUM_MS) : maximumMs;
  const waitMs = beyond < 0 ? 0 : Math.min(longestMs, initialMs * 2 ** Math.min(beyond, 30));
  return { ...failed, failCount, nextTryTs: waitMs === 0 ? 0 : endedTs + waitMs };
}

const REMEMBERED_SERVERS = 10_000;
/** Then it is read again: other instances may have had failures, too. */
const LIFETIME_MS = MINUTE_MS;

/** Health of servers in memory; newer than the store while a transaction is on its way. */
export class RememberedHealth {
  readonly #known = entryCache<{ health: ServerHealth; knownTs: number }>(REMEMBERED_SERVERS);

  /** `mayBeStored`: whether there may be a row about a server without records. */
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly mayBeStored: (serverName: string) => Promise<boolean>,
  ) {}

  get(serverName: string): ServerHealth {
    return this.#known.get(serverName)?.health ?? unknownHealth(this.clock.now());
  }

  set(serverName: string, health: ServerHealth): void {
    this.#known.set(serverName, { health, knownTs: this.clock.now() });
  }

  /** Reads what is not known, or has been known for long. */
  async load(requests: readonly { serverName: string; reason: string }[]): Promise<void> {
    const unknown: string[] = [];
    for (const { serverName, reason } of requests) {
      const known = this.#known.get(serverName);
      if (known !== undefined && Math.abs(this.clock.now() - known.knownTs) < LIFETIME_MS) continue;
      if (reason !== 'absent' || (await this.mayBeStored(serverName))) unknown.push(serverName);
    }
    if (unknown.length === 0) return;
    for (const [serverName, health] of await findHealth(this.database, unknown)) {
      // What could not be stored is newer.
      if ((health.lastFetchTs ?? 0) >= (this.get(serverName).lastFetchTs ?? 0)) this.set(serverName, health);
    }
  }
}

export type FetchCause = 'query' | 'operator' | 'job';

/** All that one fetch leaves behind in the store. */
export interface FetchOutcome {
  /** The attempt; a row of key_fetch once it is known which record it brought. */
  entry: {
    serverName: string;
    startedTs: number;
    durationMs: number;
    outcome: 'ok' | 'failed';
    /** Failure code such as `tls_wrong_name`; `null` when it went well. */
    reason: string | null;
    message: string | null;
    /** Who asked: a peer's query, the operator, or a job. */
    cause: FetchCause;
    steps: readonly TraceStep[];
  };
  health: ServerHealth;
  /** `null` when the fetch failed. */
  fetched: FetchedRecord | null;
  /** Events that no stored record causes, such as a refusal. */
  events: readonly KeyEventDraft[];
  /** Whether the record is the first of its server; absent: it is not. */
  isFirst?: boolean;
  /** A failed server whose rows go, because this one takes their place. */
  evicted?: string;
}

/** A record that was saved, and what there is of its server now. */
export interface SavedRecord {
  recordId: number;
  /** Key ids ever seen. */
  keyCount: number;
  /** Whether nothing else is stored of its server. */
  isOnly: boolean;
}

const HEALTH_CONFLICT = `ON CONFLICT (server_name) DO UPDATE SET last_fetch_ts = excluded.last_fetch_ts,
    last_ok_ts = excluded.last_ok_ts, fail_count = excluded.fail_count,
    next_try_ts = excluded.next_try_ts, last_error_reason = excluded.last_error_reason,
    last_error_message = excluded.last_error_message`;
const HEALTH = { table: 'remote_server', conflict: HEALTH_CONFLICT };
const HEALTH_AND_SUMMARY = {
  table: 'remote_server',
  conflict: `${HEALTH_CONFLICT}, key_count = excluded.key_count, added_ts = excluded.added_ts,
    valid_until_ts = excluded.valid_until_ts, due_ts = excluded.due_ts`,
};

/** Remembered health of each server; servers nobody fetched from are absent. */
export async function findHealth(
  { client }: Database,
  serverNames: readonly string[],
): Promise<Map<string, ServerHealth>> {
  const rows = await healthOfServers(client, serverNames);
  return new Map(rows.map(({ serverName, ...row }) => [serverName, plainRow(row)]));
}

/** Stores the health of servers after a fetch, with a summary of the record that was saved of them. */
export async function saveHealth(
  tx: DbTransaction,
  outcomes: readonly FetchOutcome[],
  saved: ReadonlyMap<string, SavedRecord>,
): Promise<void> {
  const rows = { withRecord: [] as HotRow[], without: [] as HotRow[] };
  for (const { entry, health, fetched } of outcomes) {
    const { serverName } = entry;
    const { lastErrorMessage } = health;
    const row = {
      serverName,
      ...health,
      lastErrorMessage: lastErrorMessage && storableText(lastErrorMessage),
    };
    const record = saved.get(serverName);
    if (record === undefined || fetched === null) rows.without.push(row);
    else {
      const [addedTs, validUntilTs] = [BigInt(fetched.fetchedTs), toColumnTs(fetched.record.validUntilTs)];
      const dueTs = (addedTs + validUntilTs) / 2n;
      rows.withRecord.push({ ...row, keyCount: record.keyCount, addedTs, validUntilTs, dueTs });
    }
  }
  await insertRows(tx, HEALTH, rows.without);
  await insertRows(tx, HEALTH_AND_SUMMARY, rows.withRecord);
}

/**
 * Deletes attempts that started before `beforeTs`, and servers without a record that were never reached and that
 * nobody fetched since.
 * At most `limit` rows of each a call; returns how many rows went.
 */
export async function pruneFetches(
  { client }: Database,
  { beforeTs, limit }: { beforeTs: number; limit: number },
): Promise<number> {
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
