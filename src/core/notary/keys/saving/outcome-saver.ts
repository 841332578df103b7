import { Batcher } from '../../../base/batcher.js';
import type { Logger } from '../../../base/logger.js';
import { isConflict, isStoreFull, isStoreUnavailable } from '../../../store/store-errors.js';
import { inTransaction, type Database } from '../../../store/db.js';
import type { FetchOutcome } from '../fetch-outcome.js';
import type { RefreshRequest } from '../refresh-request.js';
import type { FailedServers } from './failed-servers.js';
import type { FetchedRecord } from './record-rows.js';
import { saveOutcomes, type OutcomeStores } from './save-outcomes.js';

export interface OutcomeSaverOptions extends OutcomeStores {
  database: Database;
  failedServers: FailedServers;
  logger: Logger;
  /** Fetches under way, with those whose outcome waits here. */
  underWay: () => number;
  /** Called after something was stored about a server. */
  onStored(serverName: string): void;
  /** Called with a record that was fetched, and not stored because the budget of its domain is used up. */
  onUnstored(fetched: FetchedRecord): void;
}

/** A transaction holds up other writers, so it must stay short; larger ones save next to nothing more. */
const MAX_BATCH = 32;
const GATHER_MS = 20;

/** `kept_in_memory`: the domain of the server has no room for its record. */
export type SaveResult = 'stored' | 'kept_in_memory' | 'not_stored' | 'store_unavailable' | 'store_full';

type Saved = { isStored: boolean } | { error: unknown };

/** Outcomes of fetches into rows and log lines, as far as there is room for them. */
export class OutcomeSaver {
  readonly #batcher: Batcher<FetchOutcome, Saved>;

  constructor(private readonly options: OutcomeSaverOptions) {
    this.#batcher = new Batcher({
      maxItems: MAX_BATCH,
      gatherMs: GATHER_MS,
      expected: options.underWay,
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

  async #save(request: RefreshRequest, outcome: FetchOutcome): Promise<SaveResult> {
    const admitted = await this.options.failedServers.admit(outcome);
    if (outcome.entry.outcome === 'failed') this.#logFailure(request, outcome, admitted === null);
    if (admitted === null) return 'stored';
    const saved = await this.#batcher.add(admitted);
    if ('error' in saved) throw saved.error;
    if (!saved.isStored && outcome.fetched !== null) {
      this.options.onUnstored(outcome.fetched);
      return 'kept_in_memory';
    }
    this.options.onStored(request.serverName);
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

  /** Once more after a conflict with another instance. */
  async #transaction(outcomes: readonly FetchOutcome[]): Promise<ReadonlySet<string>> {
    // In one order everywhere, so that two instances do not wait for each other's rows.
    const inOrder = outcomes.toSorted((a, b) => (a.entry.serverName < b.entry.serverName ? -1 : 1));
    const save = (): Promise<ReadonlySet<string>> =>
      inTransaction(this.options.database, (open) => saveOutcomes(open, inOrder, this.options));
    return save().catch((error: unknown) => (isConflict(error) ? save() : Promise.reject(error)));
  }

  #logFailure(
    { serverName, reason: why }: RefreshRequest,
    { entry }: FetchOutcome,
    isCounted: boolean,
  ): void {
    const line = { server_name: serverName, why, reason: entry.reason, detail: entry.message };
    this.options.logger[isCounted ? 'debug' : 'warn'](line, 'key fetch failed');
  }
}
