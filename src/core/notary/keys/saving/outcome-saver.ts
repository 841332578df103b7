import { Batcher } from '../../../base/batcher.js';
import { isFault } from '../../../base/errors/outbound-error.js';
import type { Logger } from '../../../base/logger.js';
import { inTransaction, type Database, type DbTransaction, type OpenTransaction } from '../../../store/db.js';
import { isConflict, isStoreFull, isStoreUnavailable } from '../../../store/store-errors.js';
import { type FetchOutcome, type SavedRecord, saveHealth } from '../fetch-store.js';
import { appendKeyEvents } from '../key-changes.js';
import type { RefreshRequest } from '../key-fetcher.js';
import type { RecordCache } from '../record-cache.js';
import { KEPT_FETCHES, type Charge, type DomainBudget, type FailedServers } from './storage-limits.js';
import { saveRecords, type RecordListeners } from './record-rows.js';
import type { TraceStep } from '../../../base/trace.js';
import { insertRows } from '../../../store/hot-sql.js';
import { storableJsonText, storableText } from '../../../base/text/strings.js';

export interface OutcomeSaverOptions extends RecordListeners {
  database: Database;
  failedServers: FailedServers;
  budget: DomainBudget;
  logger: Logger;
  /** Told of what is stored, and of records that are not because the budget of their domain is used up. */
  cache: Pick<RecordCache, 'forget' | 'keepOnly' | 'keepUnstored' | 'watch'>;
}

/** A transaction holds up other writers, so it must stay short; larger ones save next to nothing more. */
const MAX_BATCH = 32;
const GATHER_MS = 20;

/** `kept_in_memory`: the domain of the server has no room for its record. */
export type SaveResult = 'stored' | 'kept_in_memory' | 'not_stored' | 'store_unavailable' | 'store_full';

/** `record`: what was stored of its server; absent for a failed fetch. */
type Saved = { isStored: boolean; record: SavedRecord | undefined } | { error: unknown };

type Written = { saved: ReadonlyMap<string, SavedRecord> } & Pick<Charge, 'refused'>;

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
    return cache.watch(async (isUntouched) => {
      const saved = await this.#batcher.add(admitted);
      if ('error' in saved) throw saved.error;
      if (fetched === null) return 'stored';
      if (!saved.isStored) {
        await cache.keepUnstored(fetched);
        return 'kept_in_memory';
      }
      // The rest of its batch may have taken a while, in which an operator has deleted it.
      if (saved.record?.isOnly === true && isUntouched(serverName))
        cache.keepOnly(fetched, saved.record.recordId);
      else cache.forget(serverName);
      return 'stored';
    });
  }

  /** One that cannot be stored does not take the others with it. */
  async #write(outcomes: readonly FetchOutcome[]): Promise<Saved[]> {
    try {
      const { refused, saved } = await this.#transaction(outcomes);
      return outcomes.map(({ entry: { serverName } }) => ({
        isStored: !refused.has(serverName),
        record: saved.get(serverName),
      }));
    } catch (error) {
      if (outcomes.length === 1 || isStoreUnavailable(error)) return outcomes.map(() => ({ error }));
      const saved: Saved[] = [];
      for (const outcome of outcomes) saved.push(...(await this.#write([outcome])));
      return saved;
    }
  }

  /** Once more after a conflict with another instance. */
  async #transaction(outcomes: readonly FetchOutcome[]): Promise<Written> {
    // In one order everywhere, so that two instances do not wait for each other's rows.
    const inOrder = outcomes.toSorted((a, b) => (a.entry.serverName < b.entry.serverName ? -1 : 1));
    const save = (): Promise<Written> =>
      inTransaction(this.options.database, (open) => this.#saveAll(open, inOrder));
    return save().catch((error: unknown) => (isConflict(error) ? save() : Promise.reject(error)));
  }

  async #saveAll(open: OpenTransaction, all: readonly FetchOutcome[]): Promise<Written> {
    const { budget, listener } = this.options;
    const { tx } = open;
    const charge = await budget.charge(tx, all);
    const outcomes = all.flatMap((outcome) => withinBudget(outcome, charge.refused));
    await makeRoom(tx, outcomes);
    const records = outcomes.flatMap(({ fetched }) => fetched ?? []);
    const saved = await saveRecords(open, records, this.options);
    await saveHealth(tx, outcomes, saved);
    const fetches = outcomes.map(({ entry: { steps, message, ...entry } }) => ({
      ...entry,
      message: message && storableText(message),
      steps: storedSteps(steps),
      recordId: saved.get(entry.serverName)?.recordId ?? null,
    }));
    await insertRows(tx, { table: 'key_fetch' }, fetches);
    const batches = outcomes.map(({ entry, events }) => {
      const { serverName, startedTs, durationMs } = entry;
      return { serverName, ts: startedTs + durationMs, recordId: null, events };
    });
    await appendKeyEvents(open, batches, listener);
    await budget.book(tx, charge);
    return { refused: charge.refused, saved };
  }
}

/** Of a domain whose budget is used up a failed fetch is stored without its events, another not at all. */
function withinBudget(outcome: FetchOutcome, refused: ReadonlySet<string>): FetchOutcome[] {
  if (!refused.has(outcome.entry.serverName)) return [outcome];
  return outcome.fetched === null ? [{ ...outcome, events: [] }] : [];
}

/** Makes room for fetches, inside the caller's transaction: rows of evicted servers, and old attempts, go. */
async function makeRoom(tx: DbTransaction, outcomes: readonly FetchOutcome[]): Promise<void> {
  const evicted = { serverName: { in: outcomes.flatMap((outcome) => outcome.evicted ?? []) } };
  if (evicted.serverName.in.length > 0) {
    await tx.keyFetch.deleteMany({ where: evicted });
    await tx.remoteServer.deleteMany({ where: { ...evicted, lastOkTs: null } });
  }
  for (const { entry, health, isFirst } of outcomes) {
    // Failures of our own are not counted among those of the server.
    const isFirstFailure =
      health.lastOkTs === null && health.failCount === 1 && !isFault(entry.reason, 'busy', 'resolver');
    if (isFirst === true || isFirstFailure) continue;
    const { serverName } = entry;
    const surplus = await tx.keyFetch.findFirst({
      where: { serverName },
      orderBy: { id: 'desc' },
      skip: KEPT_FETCHES - 1,
      select: { id: true },
    });
    if (surplus !== null) await tx.keyFetch.deleteMany({ where: { serverName, id: { lte: surplus.id } } });
  }
}

/** What a row of key_fetch may hold of its steps; the budget of a domain counts as much for the whole row. */
const MAX_STEPS_BYTES = 2048;

/**
 * The steps of a fetch as they are stored. Servers choose how many targets, addresses and names there are, so the
 * longest steps go until the rest is short enough.
 */
function storedSteps(steps: readonly TraceStep[]): string {
  const left = steps.map((step) => storableJsonText(step));
  while (Buffer.byteLength(left.join()) > MAX_STEPS_BYTES) {
    const longest = Math.max(...left.map(({ length }) => length));
    left.splice(
      left.findIndex(({ length }) => length === longest),
      1,
    );
  }
  return `[${left.join()}]`;
}
