import type { Clock } from '../../base/clock.js';
import type { WorkLeases } from '../../store/instances/work-leases.js';
import { ApiError, storeFull, storeUnavailable } from '../../base/errors/api-error.js';
import type { FetchStep } from '../federation/fetch-trace.js';
import { isOwnFailure } from '../../base/errors/outbound-error.js';
import { failureOf, successOf, type Attempt } from './fetching/attempt.js';
import { FetchPlace } from './fetching/fetch-place.js';
import type { FetchQueue } from './fetching/fetch-queue.js';
import { HostTokens } from './fetching/host-tokens.js';
import type { RefreshRequest } from './fetching/refresh-request.js';
import { whyNotStored, type RefreshOutcome } from './fetching/refresh-outcome.js';
import { SharedFetches } from './fetching/shared-fetches.js';
import type { KeyFetcher } from './key-fetcher.js';
import { isThrottled } from './key-query.js';
import {
  admitFetch,
  latestHealth,
  unknownHealth,
  type ServerHealth,
  type ThrottleSettings,
} from './fetch-throttle.js';
import type { FetchOutcome } from './saving/fetch-outcome.js';
import { OutcomeSaver, type OutcomeSaverOptions } from './fetching/outcome-saver.js';
import { entryCache } from '../../base/runtime/entry-cache.js';

export interface KeyRefresherOptions extends Omit<OutcomeSaverOptions, 'underWay'> {
  fetcher: Pick<KeyFetcher, 'fetch' | 'lookUpHost'>;
  clock: Clock;
  throttle: ThrottleSettings;
  queue: FetchQueue;
  leases: WorkLeases;
  /** Called once for each refresh, with the failure code when there is one. */
  onOutcome(outcome: RefreshOutcome, reason: string | null, request: RefreshRequest): void;
}

const REMEMBERED_SERVERS = 10_000;

type StoredHealth = ReadonlyMap<string, ServerHealth>;

/** A refresh under way, which others may join. */
interface Flight {
  outcome: Promise<RefreshOutcome>;
  place: FetchPlace;
}

/** How a refresh ended, and whether whoever reads the store finds what it brought. */
interface Ended {
  outcome: RefreshOutcome;
  isStored: boolean;
}

/**
 * Brings stored keys up to date: one fetch per server at a time, bounded in number, held back by throttle
 * and back-off, every outcome stored: a failed refresh is a row and a log line, not a rejection.
 */
export class KeyRefresher {
  readonly #inFlight = new Map<string, Flight>();
  readonly #saver: OutcomeSaver;
  readonly #tokens = new HostTokens();
  readonly #shared: SharedFetches;
  /** Newer than the store while a transaction is on its way, so it is asked first. */
  readonly #health = entryCache<ServerHealth>(REMEMBERED_SERVERS);

  constructor(private readonly options: KeyRefresherOptions) {
    this.#shared = new SharedFetches(options.leases);
    this.#saver = new OutcomeSaver({ ...options, underWay: () => this.#inFlight.size });
  }

  /**
   * Refreshes all servers of one query; `onRecord` is called for each that sent a record, and it resolves when each
   * is done. Rejects when the store cannot be reached or is full.
   */
  async refreshAll(requests: readonly RefreshRequest[], onRecord = () => {}): Promise<void> {
    const stored = this.#findHealth(requests);
    const refreshes = requests.map(async (request) => {
      const outcome = await this.#refresh(request, stored);
      if (outcome === 'ok' || outcome === 'not_stored') onRecord();
      return outcome;
    });
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
      await running.outcome;
      running = this.#inFlight.get(serverName);
    }
    const request: RefreshRequest = { serverName, reason: 'operator', cause: 'operator' };
    return this.#refresh(request, this.#findHealth([request]));
  }

  /** Resolves when no refresh is under way. */
  async settle(): Promise<void> {
    while (this.#inFlight.size > 0) {
      await Promise.allSettled(Array.from(this.#inFlight.values(), ({ outcome }) => outcome));
    }
  }

  #findHealth(requests: readonly RefreshRequest[]): Promise<StoredHealth> {
    const names = requests.map((request) => request.serverName);
    const { isShared } = this.options.leases;
    const unknown = names.filter(
      (name) => !this.#inFlight.has(name) && (isShared || !this.#health.has(name)),
    );
    return unknown.length === 0 ? Promise.resolve(new Map()) : this.options.fetchStore.findHealth(unknown);
  }

  /** Joins the refresh of the server that is under way, or starts one. */
  #refresh(request: RefreshRequest, stored: Promise<StoredHealth>): Promise<RefreshOutcome> {
    const { serverName, asker } = request;
    const running = this.#inFlight.get(serverName);
    if (running !== undefined) {
      if (asker !== undefined) running.place.join(asker);
      return running.outcome;
    }
    const place = new FetchPlace(this.options.queue);
    const outcome = this.#attempt(request, place, stored).finally(() => this.#inFlight.delete(serverName));
    this.#inFlight.set(serverName, { outcome, place });
    return outcome;
  }

  async #attempt(
    request: RefreshRequest,
    place: FetchPlace,
    stored: Promise<StoredHealth>,
  ): Promise<RefreshOutcome> {
    const { clock, throttle } = this.options;
    const { serverName } = request;
    const remembered = latestHealth(this.#health.get(serverName), (await stored).get(serverName));
    const before = this.#tokens.applyTo(serverName, remembered ?? unknownHealth(clock.now(), throttle));
    const at = { nowTs: clock.now(), settings: throttle };
    const admitted =
      request.cause === 'operator'
        ? ({ verdict: 'go', health: before } as const)
        : admitFetch(before, isThrottled(request.reason), at);
    if (admitted.verdict !== 'go') {
      this.options.onOutcome(admitted.verdict, request.reason, request);
      return admitted.verdict;
    }
    const { health } = admitted;
    // Before anything is waited for: other spellings of the host are asked for at the same moment.
    this.#tokens.keep(serverName, health);
    return this.#attemptInTurn({ request, health, startedTs: clock.now(), steps: [] }, place);
  }

  /** Fetches, unless another instance was at it: then its outcome is ours, and what it brought is stored. */
  async #attemptInTurn(attempt: Attempt, place: FetchPlace): Promise<RefreshOutcome> {
    const { request } = attempt;
    const { serverName } = request;
    const turn = await this.#shared.begin(request);
    if (typeof turn === 'string') {
      this.#health.delete(serverName);
      this.options.onStored(serverName);
      return turn;
    }
    let ended: Ended = { outcome: 'not_stored', isStored: false };
    try {
      // Before it takes a place: silent name servers would hold all of them.
      const { address, unfound } = await this.#lookUpHost(attempt);
      ended =
        unfound === null ? await this.#enter(attempt, place, address) : await this.#store(request, unfound);
      return ended.outcome;
    } finally {
      this.#shared.end(turn, ended.isStored ? ended.outcome : null);
    }
  }

  async #enter(attempt: Attempt, place: FetchPlace, address: string | null): Promise<Ended> {
    const { request, health } = attempt;
    let fetched: FetchOutcome;
    try {
      if (!(await place.enter({ request, health, address }))) {
        this.options.onOutcome('overloaded', request.reason, request);
        return { outcome: 'overloaded', isStored: false };
      }
      fetched = await this.#fetch(request, health, place);
    } finally {
      // What is stored holds up nobody else who fetches.
      place.leave();
    }
    return this.#keep(request, fetched);
  }

  /** The first address of the host, or the outcome of a fetch that our own resolver made impossible. */
  async #lookUpHost(attempt: Attempt): Promise<{ address: string | null; unfound: FetchOutcome | null }> {
    const { serverName, asker } = attempt.request;
    const trace = { step: (step: FetchStep) => void attempt.steps.push(step) };
    try {
      return { address: await this.options.fetcher.lookUpHost(serverName, { trace, asker }), unfound: null };
    } catch (error) {
      return { address: null, unfound: this.#failed(attempt, error) };
    }
  }

  async #fetch(request: RefreshRequest, health: ServerHealth, place: FetchPlace): Promise<FetchOutcome> {
    const attempt: Attempt = { request, health, startedTs: this.options.clock.now(), steps: [] };
    const outcome = await this.#outcome(attempt, place);
    const { serverName, reason } = outcome.entry;
    if (!isOwnFailure(reason)) this.options.queue.settle(serverName, reason === null);
    return outcome;
  }

  async #keep(request: RefreshRequest, outcome: FetchOutcome): Promise<Ended> {
    const { serverName, durationMs } = outcome.entry;
    const ended = await this.#store(request, outcome);
    if (ended.outcome === 'ok') {
      this.options.logger.info(
        { server_name: serverName, why: request.reason, ms: durationMs },
        'keys fetched',
      );
    }
    return ended;
  }

  async #outcome(attempt: Attempt, place: FetchPlace): Promise<FetchOutcome> {
    const trace = { step: (step: FetchStep) => void attempt.steps.push(step) };
    const { serverName, asker } = attempt.request;
    try {
      const fetched = await this.options.fetcher.fetch(serverName, trace, { asker, place });
      return successOf(attempt, fetched, this.options.clock.now());
    } catch (error) {
      return this.#failed(attempt, error);
    }
  }

  #failed(attempt: Attempt, error: unknown): FetchOutcome {
    const failure =
      error instanceof ApiError
        ? error
        : new ApiError(502, 'Key fetch failed', { cause: error, reason: 'internal' });
    const { clock, throttle, logger } = this.options;
    if (failure.reason === 'internal')
      logger.error({ server_name: attempt.request.serverName, err: failure.cause }, 'key fetch broke');
    return failureOf(attempt, failure, { endedTs: clock.now(), settings: throttle });
  }

  /** Stores the outcome; a failure to do so is a log line. */
  async #store(request: RefreshRequest, outcome: FetchOutcome): Promise<Ended> {
    const { serverName, outcome: result, reason } = outcome.entry;
    this.#health.set(serverName, outcome.health);
    let isStored: boolean;
    try {
      isStored = await this.#saver.save(request, outcome);
    } catch (error) {
      this.options.logger.error(
        { err: error, server_name: serverName },
        'outcome of a key fetch could not be stored',
      );
      const notStored = whyNotStored(error);
      this.options.onOutcome(notStored, 'store', request);
      return { outcome: notStored, isStored: false };
    }
    // The record after a first one is a first one again.
    if (!isStored && outcome.isFirst === true)
      this.#health.set(serverName, { ...outcome.health, lastOkTs: null });
    this.options.onOutcome(result, reason, request);
    return { outcome: result, isStored };
  }
}
