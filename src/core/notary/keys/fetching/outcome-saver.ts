import type { Logger } from '../../../base/logger.js';
import type { RefreshRequest } from './refresh-request.js';
import type { DomainBudget } from '../saving/domain-budget.js';
import type { FailedServers } from '../saving/failed-servers.js';
import type { FetchOutcome } from '../saving/fetch-outcome.js';
import { OutcomeWriter, type OutcomeWriterOptions } from '../saving/outcome-writer.js';
import type { FetchedRecord } from '../saving/record-rows.js';

export interface OutcomeSaverOptions extends OutcomeWriterOptions {
  failedServers: FailedServers;
  budget: DomainBudget;
  logger: Logger;
  /** Called after something was stored about a server. */
  onStored(serverName: string): void;
  /** Called with a record that was fetched, and not stored because the budget of its domain is used up. */
  onUnstored(fetched: FetchedRecord): void;
}

/** Outcomes of fetches into rows and log lines, as far as there is room for them. */
export class OutcomeSaver {
  readonly #writer: OutcomeWriter;

  constructor(private readonly options: OutcomeSaverOptions) {
    this.#writer = new OutcomeWriter(options);
  }

  /**
   * Resolves with false when a record is known to this process alone, because its domain has no room for it; rejects
   * when the store is away. Names that cost nothing to invent leave no more behind than there is room for, in the log as
   * little as in rows.
   */
  async save(request: RefreshRequest, outcome: FetchOutcome): Promise<boolean> {
    const admitted = await this.options.failedServers.admit(outcome);
    if (outcome.entry.outcome === 'failed') this.#logFailure(request, outcome, admitted === null);
    if (admitted === null) return true;
    const isWritten = await this.#writer.write(admitted);
    if (!isWritten && outcome.fetched !== null) {
      this.options.onUnstored(outcome.fetched);
      return false;
    }
    this.options.onStored(request.serverName);
    return true;
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
