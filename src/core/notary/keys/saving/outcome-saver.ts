import { Batcher } from '../../../base/batcher.js';
import { isOwnFailure } from '../../../base/errors/outbound-error.js';
import type { Logger } from '../../../base/logger.js';
import { inTransaction, type Database, type DbTransaction, type OpenTransaction } from '../../../store/db.js';
import { updateSummary } from '../../../store/hot-sql.js';
import { isConflict, isStoreFull, isStoreUnavailable } from '../../../store/store-errors.js';
import type { FetchStore } from '../fetch-store.js';
import { appendKeyEvents, type KeyEventListener } from '../key-changes.js';
import type { RefreshRequest } from '../key-query.js';
import type { RecordCache } from '../record-cache.js';
import type { KeyStore } from '../key-store.js';
import { KEPT_FETCHES, type DomainBudget, type FailedServers } from './storage-limits.js';
import type { FetchOutcome } from './record-rows.js';

export interface OutcomeSaverOptions {
  database: Database;
  keyStore: KeyStore;
  fetchStore: FetchStore;
  failedServers: FailedServers;
  budget: DomainBudget;
  listener?: KeyEventListener | undefined;
  logger: Logger;
  /** Told of what is stored, and of records that are not because the budget of their domain is used up. */
  cache: Pick<RecordCache, 'forget' | 'keepUnstored'>;
}

/** A transaction holds up other writers, so it must stay short; larger ones save next to nothing more. */
const MAX_BATCH = 32;
const GATHER_MS = 20;

/** `kept_in_memory`: the domain of the server has no room for its record. */
export type SaveResult = 'stored' | 'kept_in_memory' | 'not_stored' | 'store_unavailable' | 'store_full';

type Saved = { isStored: boolean } | { error: unknown };

/** Outcomes of fetches into rows and log lines, as far as there is room for them. */
export class OutcomeSaver {
  /** Fetches under way, with those whose outcome waits here. */
  underWay: () => number = () => 0;
  readonly #batcher: Batcher<FetchOutcome, Saved>;

  constructor(private readonly options: OutcomeSaverOptions) {
    this.#batcher = new Batcher({
      maxItems: MAX_BATCH,
      gatherMs: GATHER_MS,
      expected: () => this.underWay(),
      write: (outcomes) => this.#write(outcomes),
    });
  }

  /**
   * Stores an outcome, and never rejects: what cannot be stored is a log line. Names that cost nothing to invent leave
   * no more behind than there is room for, in the log as little as in rows. No two outcomes of one server may be under
   * way.
   */
  async save(request: RefreshRequest, outcome: FetchOutcome): Promise<SaveResult> {
    try {
      return await this.#save(request, outcome);
    } catch (error) {
      const line = { err: error, server_name: request.serverName };
      this.options.logger.error(line, 'outcome of a key fetch could not be stored');
      if (isStoreFull(error)) return 'store_full';
      return isStoreUnavailable(error) ? 'store_unavailable' : 'not_stored';
    }
  }

  async #save({ serverName, reason: why }: RefreshRequest, outcome: FetchOutcome): Promise<SaveResult> {
    const { failedServers, logger, cache } = this.options;
    const { entry, fetched } = outcome;
    const admitted = await failedServers.admit(outcome);
    if (entry.outcome === 'failed') {
      const line = { server_name: serverName, why, reason: entry.reason, detail: entry.message };
      logger[admitted === null ? 'debug' : 'warn'](line, 'key fetch failed');
    }
    if (admitted === null) return 'stored';
    const saved = await this.#batcher.add(admitted);
    if ('error' in saved) throw saved.error;
    if (!saved.isStored && fetched !== null) {
      await cache.keepUnstored(fetched);
      return 'kept_in_memory';
    }
    if (fetched !== null) cache.forget(serverName);
    return 'stored';
  }

  /** One that cannot be stored does not take the others with it. */
  async #write(outcomes: readonly FetchOutcome[]): Promise<Saved[]> {
    try {
      const refused = await this.#transaction(outcomes);
      return outcomes.map(({ entry }) => ({ isStored: !refused.has(entry.serverName) }));
    } catch (error) {
      if (outcomes.length === 1 || isStoreUnavailable(error)) return outcomes.map(() => ({ error }));
      const saved: Saved[] = [];
      for (const outcome of outcomes) saved.push(...(await this.#write([outcome])));
      return saved;
    }
  }

  /** Once more after a conflict with another instance. Returns the names of servers that the budget refuses. */
  async #transaction(outcomes: readonly FetchOutcome[]): Promise<ReadonlySet<string>> {
    // In one order everywhere, so that two instances do not wait for each other's rows.
    const inOrder = outcomes.toSorted((a, b) => (a.entry.serverName < b.entry.serverName ? -1 : 1));
    const save = (): Promise<ReadonlySet<string>> =>
      inTransaction(this.options.database, (open) => this.#saveAll(open, inOrder));
    return save().catch((error: unknown) => (isConflict(error) ? save() : Promise.reject(error)));
  }

  async #saveAll(open: OpenTransaction, all: readonly FetchOutcome[]): Promise<ReadonlySet<string>> {
    const { keyStore, fetchStore, budget, listener } = this.options;
    const { tx } = open;
    const charge = await budget.charge(tx, all);
    const outcomes = all.flatMap((outcome) => withinBudget(outcome, charge.refused));
    await makeRoom(tx, outcomes);
    const records = outcomes.flatMap(({ fetched }) => fetched ?? []);
    const recordIds = await keyStore.saveAll(open, records);
    await fetchStore.saveHealth(tx, new Map(outcomes.map(({ entry, health }) => [entry.serverName, health])));
    if (recordIds.size > 0) await updateSummary(tx, [...recordIds.keys()]);
    await fetchStore.saveFetches(
      tx,
      outcomes.map(({ entry }) => ({ ...entry, recordId: recordIds.get(entry.serverName) ?? null })),
    );
    const batches = outcomes.map(({ entry, events }) => {
      const { serverName, startedTs, durationMs } = entry;
      return { serverName, ts: startedTs + durationMs, recordId: null, events };
    });
    await appendKeyEvents(open, batches, listener ?? null);
    await budget.book(tx, charge);
    return charge.refused;
  }
}

/** Of a domain whose budget is used up a failed fetch is stored without its events, another not at all. */
function withinBudget(outcome: FetchOutcome, refused: ReadonlySet<string>): FetchOutcome[] {
  if (!refused.has(outcome.entry.serverName)) return [outcome];
  return outcome.fetched === null ? [{ ...outcome, events: [] }] : [];
}

/** Makes room for fetches, inside the caller's transaction: rows of evicted servers, and old attempts, go. */
async function makeRoom(
  { keyFetch, remoteServer }: DbTransaction,
  outcomes: readonly FetchOutcome[],
): Promise<void> {
  const evicted = { serverName: { in: outcomes.flatMap((outcome) => outcome.evicted ?? []) } };
  if (evicted.serverName.in.length > 0) {
    await keyFetch.deleteMany({ where: evicted });
    await remoteServer.deleteMany({ where: { ...evicted, lastOkTs: null } });
  }
  for (const { entry, health, isFirst } of outcomes) {
    // Failures of our own are not counted among those of the server.
    const isFirstFailure = health.lastOkTs === null && health.failCount === 1 && !isOwnFailure(entry.reason);
    if (isFirst === true || isFirstFailure) continue;
    const { serverName } = entry;
    const surplus = await keyFetch.findFirst({
      where: { serverName },
      orderBy: { id: 'desc' },
      skip: KEPT_FETCHES - 1,
      select: { id: true },
    });
    if (surplus !== null) await keyFetch.deleteMany({ where: { serverName, id: { lte: surplus.id } } });
  }
}
