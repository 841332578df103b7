import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';

import type { Asker } from '../../base/asker.js';
import type { Clock } from '../../base/clock.js';
import type { Database } from '../../store/db.js';
import { isStoreFull, isStoreUnavailable } from '../../store/store-errors.js';
import { ApiError, storeFull, storeUnavailable } from '../../base/errors/api-error.js';
import type { FetchStep } from '../federation/fetch-trace.js';
import type { Logger } from '../../base/logger.js';
import { isOwnDnsFailure } from '../../base/errors/outbound-error.js';
import { recordErrorEvent } from './key-changes.js';
import type { KeyFetcher, VerifiedFetch } from './key-fetcher.js';
import { isThrottled } from './key-query.js';
import type { FetchReason } from './key-query.js';
import type { KeyStore } from './key-store.js';
import type { FetchCause, FetchLogEntry, FetchStore } from './fetch-store.js';
import { admitFetch, afterFailure, afterOwnFailure, afterSuccess, unknownHealth } from './fetch-throttle.js';
import type { ServerHealth, ThrottleSettings } from './fetch-throttle.js';
import type { FetchOutcome } from './saving/fetch-outcome.js';
import { OutcomeWriter } from './saving/outcome-writer.js';

/** A server whose keys are wanted afresh. */
export interface RefreshRequest {
  serverName: string;
  reason: FetchReason;
  cause: FetchCause;
  /** Absent: nobody from outside. */
  asker?: Asker | undefined;
}

/** How a refresh ended; the label of the metric key_fetch_total. */
export type RefreshOutcome =
  | 'ok'
  | 'failed'
  | 'backoff'
  | 'throttled'
  | 'overloaded'
  | 'not_stored'
  | 'store_unavailable'
  | 'store_full';

/** What the refresher is built from. */
export interface KeyRefresherOptions {
  fetcher: KeyFetcher;
  keyStore: KeyStore;
  fetchStore: FetchStore;
  database: Database;
  clock: Clock;
  logger: Logger;
  throttle: ThrottleSettings;
  maxConcurrentFetches: number;
  maxConcurrentFetchesPerQuery: number;
  /** Fetches that may wait for a free slot; beyond that a refresh is given up at once. */
  maxQueuedFetches: number;
  /** Called after something was stored about a server. */
  onStored(serverName: string): void;
  /** Called once for each refresh, with the failure code when there is one. */
  onOutcome(outcome: RefreshOutcome, reason: string | null): void;
}

const REMEMBERED_SERVERS = 10_000;

type StoredHealth = ReadonlyMap<string, ServerHealth>;

/** What the refreshes of one query have in common. */
interface QueryParts {
  stored: Promise<StoredHealth>;
  perQuery: LimitFunction;
}

interface Attempt {
  request: RefreshRequest;
  health: ServerHealth;
  startedTs: number;
  steps: FetchStep[];
}

/**
 * Brings stored keys up to date: one fetch per server at a time, bounded in number, held back by throttle
 * and back-off, every outcome stored: a failed refresh is a row and a log line, not a rejection.
 */
export class KeyRefresher {
  readonly #inFlight = new Map<string, Promise<RefreshOutcome>>();
  readonly #limit: LimitFunction;
  readonly #writer: OutcomeWriter;
  /** Newer than the store while a transaction is on its way, so it is asked first. */
  readonly #health = new LRUCache<string, ServerHealth>({ max: REMEMBERED_SERVERS });

  constructor(private readonly options: KeyRefresherOptions) {
    this.#limit = pLimit(options.maxConcurrentFetches);
    this.#writer = new OutcomeWriter(options);
  }

  /**
   * Refreshes all servers of one query; resolves when each is done. Rejects when the store cannot be reached or is
   * full.
   */
  async refreshAll(requests: readonly RefreshRequest[]): Promise<void> {
    const stored = this.#findHealth(requests);
    const perQuery = pLimit(this.options.maxConcurrentFetchesPerQuery);
    const refreshes = requests.map((request) => this.#refresh(request, { stored, perQuery }));
    const [, ...outcomes] = await Promise.all([stored, ...refreshes]);
    if (outcomes.includes('store_unavailable')) throw storeUnavailable();
    if (outcomes.includes('store_full')) throw storeFull();
  }

  /**
   * Fetches one server at an operator's word, whatever back-off and throttle say; waits for a refresh under way
   * first. Rejects when the store cannot be read.
   */
  async refreshNow(serverName: string): Promise<RefreshOutcome> {
    for (let running = this.#inFlight.get(serverName); running !== undefined;) {
      await running;
      running = this.#inFlight.get(serverName);
    }
    const request: RefreshRequest = { serverName, reason: 'operator', cause: 'operator' };
    return this.#refresh(request, { stored: this.#findHealth([request]), perQuery: pLimit(1) });
  }

  /** Resolves when no refresh is under way. */
  async settle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight.values());
  }

  #findHealth(requests: readonly RefreshRequest[]): Promise<StoredHealth> {
    const names = requests.map((request) => request.serverName);
    const unknown = names.filter((name) => !this.#inFlight.has(name) && !this.#health.has(name));
    return unknown.length === 0 ? Promise.resolve(new Map()) : this.options.fetchStore.findHealth(unknown);
  }

  /** Joins the refresh of the server that is under way, or starts one. */
  #refresh(request: RefreshRequest, of: QueryParts): Promise<RefreshOutcome> {
    const running = this.#inFlight.get(request.serverName);
    if (running !== undefined) return running;
    const refresh = this.#attempt(request, of).finally(() => this.#inFlight.delete(request.serverName));
    this.#inFlight.set(request.serverName, refresh);
    return refresh;
  }

  async #attempt(request: RefreshRequest, { stored, perQuery }: QueryParts): Promise<RefreshOutcome> {
    const { clock, throttle } = this.options;
    const { serverName } = request;
    const remembered = this.#health.get(serverName) ?? (await stored).get(serverName);
    const before = remembered ?? unknownHealth(clock.now(), throttle);
    const at = { nowTs: clock.now(), settings: throttle };
    const admitted =
      request.cause === 'operator'
        ? ({ verdict: 'go', health: before } as const)
        : admitFetch(before, isThrottled(request.reason), at);
    if (admitted.verdict !== 'go') {
      this.options.onOutcome(admitted.verdict, request.reason);
      return admitted.verdict;
    }
    const attempt: Attempt = { request, health: admitted.health, startedTs: clock.now(), steps: [] };
    // Before it takes a place: silent name servers would hold all of them.
    const unfound = await this.#lookUpHost(attempt);
    if (unfound !== null) return this.#store(unfound);
    return perQuery(() => this.#enter(request, admitted.health));
  }

  async #enter(request: RefreshRequest, health: ServerHealth): Promise<RefreshOutcome> {
    if (this.#limit.pendingCount >= this.options.maxQueuedFetches) {
      this.options.onOutcome('overloaded', request.reason);
      return 'overloaded';
    }
    return this.#limit(() => this.#fetch(request, health));
  }

  /** The outcome of a fetch that our own resolver made impossible; `null` when it may begin. */
  async #lookUpHost(attempt: Attempt): Promise<FetchOutcome | null> {
    const { serverName, asker } = attempt.request;
    const trace = { step: (step: FetchStep) => void attempt.steps.push(step) };
    try {
      await this.options.fetcher.lookUpHost(serverName, { trace, asker });
      return null;
    } catch (error) {
      return this.#failed(attempt, error);
    }
  }

  async #fetch(request: RefreshRequest, health: ServerHealth): Promise<RefreshOutcome> {
    const attempt: Attempt = { request, health, startedTs: this.options.clock.now(), steps: [] };
    const outcome = await this.#outcome(attempt);
    const stored = await this.#store(outcome);
    if (stored === 'ok') {
      const { serverName, durationMs } = outcome.entry;
      this.options.logger.info(
        { server_name: serverName, why: request.reason, ms: durationMs },
        'keys fetched',
      );
    }
    return stored;
  }

  async #outcome(attempt: Attempt): Promise<FetchOutcome> {
    const trace = { step: (step: FetchStep) => void attempt.steps.push(step) };
    const { serverName, asker } = attempt.request;
    try {
      return this.#success(attempt, await this.options.fetcher.fetch(serverName, trace, { asker }));
    } catch (error) {
      return this.#failed(attempt, error);
    }
  }

  #failed(attempt: Attempt, error: unknown): FetchOutcome {
    const failure =
      error instanceof ApiError
        ? error
        : new ApiError(502, 'M_UNKNOWN', 'Key fetch failed', { cause: error, reason: 'internal' });
    this.#logFailure(attempt, failure);
    return this.#failure(attempt, failure);
  }

  /** Stores the outcome; a failure to do so is a log line. */
  async #store(outcome: FetchOutcome): Promise<RefreshOutcome> {
    const { serverName, outcome: result, reason } = outcome.entry;
    this.#health.set(serverName, outcome.health);
    try {
      await this.#writer.write(outcome);
    } catch (error) {
      this.options.logger.error(
        { err: error, server_name: serverName },
        'outcome of a key fetch could not be stored',
      );
      const notStored = whyNotStored(error);
      this.options.onOutcome(notStored, 'store');
      return notStored;
    }
    this.options.onStored(serverName);
    this.options.onOutcome(result, reason);
    return result;
  }

  #success(attempt: Attempt, fetched: VerifiedFetch): FetchOutcome {
    const { startedTs } = attempt;
    return {
      entry: this.#entry(attempt, { outcome: 'ok', reason: null, message: null }),
      health: afterSuccess(attempt.health, startedTs),
      fetched: { ...fetched, fetchedTs: startedTs },
      events: [],
    };
  }

  #failure(attempt: Attempt, failure: ApiError): FetchOutcome {
    const { startedTs } = attempt;
    const reason = failure.reason ?? 'internal';
    const message = failure.detail ?? failure.message;
    const entry = this.#entry(attempt, { outcome: 'failed', reason, message });
    const event = recordErrorEvent(reason, message);
    const ended = { startedTs, endedTs: this.options.clock.now(), reason, message };
    return {
      entry,
      health: isOwnDnsFailure(reason)
        ? afterOwnFailure(attempt.health, ended)
        : afterFailure(attempt.health, ended, this.options.throttle),
      fetched: null,
      events: event === null ? [] : [event],
    };
  }

  #entry(
    { request, startedTs, steps }: Attempt,
    result: Pick<FetchLogEntry, 'outcome' | 'reason' | 'message'>,
  ): FetchOutcome['entry'] {
    const { serverName, cause } = request;
    const durationMs = Math.max(0, this.options.clock.now() - startedTs);
    return { serverName, startedTs, durationMs, steps, cause, ...result };
  }

  #logFailure(attempt: Attempt, failure: ApiError): void {
    const { serverName, reason: why } = attempt.request;
    const { reason, detail, message } = failure;
    const line = { server_name: serverName, why, reason, detail: detail ?? message };
    if (reason === 'internal') this.options.logger.error({ ...line, err: failure.cause }, 'key fetch broke');
    else this.options.logger.warn(line, 'key fetch failed');
  }
}

function whyNotStored(error: unknown): RefreshOutcome {
  if (isStoreFull(error)) return 'store_full';
  return isStoreUnavailable(error) ? 'store_unavailable' : 'not_stored';
}
