import { addCount } from '../../base/add-count.js';
import { SECOND_MS, type Clock } from '../../base/clock.js';
import { ApiError, storeFull, storeUnavailable } from '../../base/errors/api-error.js';
import type { QueueTicket } from '../../base/fair-queue.js';
import type { Client } from '../../base/client.js';
import type { Logger } from '../../base/logger.js';
import { entryCache } from '../../base/runtime/entry-cache.js';
import { hostKey } from '../federation/server-name.js';
import type { FetchStep } from '../federation/fetch-trace.js';
import { failureOf, successOf, type Attempt, type FetchOutcome } from './fetch-outcome.js';
import { FailureBudget } from './failure-budget.js';
import type { FetchQueue } from './fetch-queue.js';
import type { FetchStore } from './fetch-store.js';
import {
  admitFetch,
  unknownHealth,
  type FetchVerdict,
  type ServerHealth,
  type ThrottleSettings,
} from './fetch-throttle.js';
import type { KeyFetcher } from './key-fetcher.js';
import { isThrottled } from './key-query.js';
import { RememberedHealth } from './remembered-health.js';
import type { RefreshOutcome, RefreshRequest } from './refresh-request.js';
import type { OutcomeSaver } from './saving/outcome-saver.js';

export interface KeyRefresherOptions {
  fetcher: Pick<KeyFetcher, 'fetch' | 'lookUpHost' | 'isBlocked'>;
  fetchStore: Pick<FetchStore, 'findHealth'>;
  saver: OutcomeSaver;
  queue: FetchQueue;
  throttle: ThrottleSettings;
  clock: Clock;
  logger: Logger;
  /** Called once for each refresh, with the failure code when there is one. */
  onOutcome: (outcome: RefreshOutcome, reason: string | null, request: RefreshRequest) => void;
}

/** What a query wants of the refreshes that it causes. */
export interface RefreshWait {
  /** Called for each server that sent a record. */
  onRecord: () => void;
  /** Whether the query still waits: no further fetch begins afterwards. */
  isWaiting: () => boolean;
  /** Whether it has something to answer with, and so waits for no server that has been silent or failed lately. */
  hasAnswer: boolean;
}

/** One refresh under way, which other queries may join. */
interface Flight {
  outcome: Promise<RefreshOutcome>;
  startedMs: number;
  clients: Client[];
  ticket: QueueTicket | null;
}

const REMEMBERED_HOSTS = 10_000;
/** Names that one query may have fetched; the rest is answered from the store. */
const MAX_NAMES_PER_QUERY = 256;
/** A server that has not answered for so long holds up nobody who has something to answer with. */
const SILENT_MS = SECOND_MS;
/** The same for one that failed within this time. */
const FAILED_LATELY_MS = 60 * SECOND_MS;

/**
 * Brings stored keys up to date: one fetch a server at a time, bounded for each client and in total, held back by
 * throttle and back-off. Every outcome is stored: a failed refresh is a row and a log line, not a rejection.
 */
export class KeyRefresher {
  readonly #inFlight = new Map<string, Flight>();
  readonly #health: RememberedHealth;
  /** Tokens of the throttle by host: other spellings and ports of a host cost nothing to invent. */
  readonly #tokens = entryCache<Pick<ServerHealth, 'throttleTokens' | 'throttleTokensTs'>>(REMEMBERED_HOSTS);
  /** Names that each client has under way. */
  readonly #underWay = new Map<string, number>();
  readonly #budget = new FailureBudget();

  constructor(private readonly options: KeyRefresherOptions) {
    this.#health = new RememberedHealth(options.fetchStore, options.clock);
  }

  /** Refreshes under way. */
  get size(): number {
    return this.#inFlight.size;
  }

  /**
   * Refreshes the servers of one query, and resolves when each is done that the query waits for. What can be decided
   * without a fetch is decided at once; of the rest a client has a bounded number under way, and other names of the
   * query wait as text. Rejects when the store cannot be reached or is full.
   */
  async refreshAll(requests: readonly RefreshRequest[], wait: RefreshWait): Promise<void> {
    const joined: Promise<RefreshOutcome>[] = [];
    const wanted: RefreshRequest[] = [];
    for (const request of requests) {
      const flight = this.#inFlight.get(request.serverName);
      if (flight !== undefined) {
        this.#join(flight, request);
        const isSilent = performance.now() - flight.startedMs >= SILENT_MS;
        if (!wait.hasAnswer || !isSilent) joined.push(flight.outcome);
      } else if (!this.#isDecided(request)) wanted.push(request);
    }
    const client = requests[0]?.client ?? '';
    const slots = Math.min(
      this.#mayFail(wanted),
      this.options.queue.freeSlots(this.#underWay.get(client) ?? 0),
    );
    for (const request of wanted.splice(slots === 0 ? 0 : MAX_NAMES_PER_QUERY))
      this.options.onOutcome('overloaded', null, request);
    await this.#health.load(wanted.map(({ serverName }) => serverName));
    const lately = wanted.filter(({ serverName }) => this.#failedLately(serverName));
    const others = wanted.filter((request) => !lately.includes(request));
    const fetches = this.#fetchEach(others, { client, slots, wait });
    const background = this.#fetchEach(lately, { client, slots: slots - fetches.length, wait });
    const outcomes = await Promise.all([
      ...joined.map((outcome) => counted(outcome, wait)),
      ...fetches,
      ...(wait.hasAnswer ? [] : background),
    ]);
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
    await this.#health.load([serverName]);
    return this.#start(request);
  }

  /** Resolves when no refresh is under way. */
  async settle(): Promise<void> {
    while (this.#inFlight.size > 0) {
      await Promise.allSettled(Array.from(this.#inFlight.values(), ({ outcome }) => outcome));
    }
  }

  #join(flight: Flight, request: RefreshRequest): void {
    const { client } = request;
    if (client === undefined) return;
    flight.clients.push(client);
    flight.ticket?.join(client);
  }

  /** Whether a refresh ends before it begins, without a promise or an error object; its outcome is counted. */
  #isDecided(request: RefreshRequest): boolean {
    const { fetcher, onOutcome } = this.options;
    if (fetcher.isBlocked(request.serverName)) onOutcome('failed', 'address_blocked', request);
    else if (this.#isBeyondBudget(request)) onOutcome('overloaded', null, request);
    else {
      const { verdict } = this.#admission(request);
      if (verdict === 'go') return false;
      onOutcome(verdict, request.reason, request);
    }
    return true;
  }

  /** Servers of which something is stored have answered before. */
  #isBeyondBudget({ reason, client }: RefreshRequest): boolean {
    return reason === 'absent' && client !== undefined && this.#budget.left(client) === 0;
  }

  /** How many of these may be under way at once, all of those that may never have answered failing. */
  #mayFail(requests: readonly RefreshRequest[]): number {
    const client = requests[0]?.client;
    if (client === undefined) return Infinity;
    const unknown = requests.filter(({ reason }) => reason === 'absent').length;
    return requests.length - unknown + this.#budget.left(client);
  }

  /** What back-off and throttle say, and the health to remember when the fetch begins. */
  #admission({ serverName, reason, cause }: RefreshRequest): { verdict: FetchVerdict; health: ServerHealth } {
    const { clock, throttle: settings } = this.options;
    const remembered = this.#health.get(serverName) ?? unknownHealth(clock.now(), settings);
    const health = { ...remembered, ...this.#tokens.get(hostKey(serverName)) };
    if (cause === 'operator') return { verdict: 'go', health };
    return admitFetch(health, isThrottled(reason), { nowTs: clock.now(), settings });
  }

  #failedLately(serverName: string): boolean {
    const { failCount = 0, lastFetchTs = null } = this.#health.get(serverName) ?? {};
    return failCount > 0 && Math.abs(this.options.clock.now() - (lastFetchTs ?? 0)) < FAILED_LATELY_MS;
  }

  /** Fetches so many at a time, each further one when an earlier one is done; gives one promise for each slot. */
  #fetchEach(
    requests: readonly RefreshRequest[],
    { client, slots, wait }: { client: string; slots: number; wait: RefreshWait },
  ): Promise<RefreshOutcome>[] {
    const next = requests.values();
    const fetchNext = async (): Promise<RefreshOutcome> => {
      let worst: RefreshOutcome = 'ok';
      addCount(this.#underWay, client, 1);
      for (const request of next) {
        if (!wait.isWaiting()) break;
        const running = this.#inFlight.get(request.serverName)?.outcome;
        if (running === undefined && this.#isDecided(request)) continue;
        const outcome = await counted(running ?? this.#start(request), wait);
        if (outcome === 'store_unavailable' || outcome === 'store_full') worst = outcome;
      }
      addCount(this.#underWay, client, -1);
      return worst;
    };
    return Array.from({ length: Math.max(0, Math.min(slots, requests.length)) }, fetchNext);
  }

  #start(request: RefreshRequest): Promise<RefreshOutcome> {
    const { serverName } = request;
    const { health } = this.#admission(request);
    const { throttleTokens, throttleTokensTs } = health;
    // Before anything is waited for: other spellings of the host are asked for at the same moment.
    this.#tokens.set(hostKey(serverName), { throttleTokens, throttleTokensTs });
    const attempt: Attempt = { request, health, startedTs: this.options.clock.now(), steps: [] };
    const flight = { startedMs: performance.now(), clients: [], ticket: null };
    const outcome = this.#refresh(attempt, flight).finally(() => this.#inFlight.delete(serverName));
    this.#inFlight.set(serverName, Object.assign(flight, { outcome }));
    return outcome;
  }

  /** One refresh: host looked up, slot waited for, record fetched and checked, outcome stored. */
  async #refresh(attempt: Attempt, flight: Omit<Flight, 'outcome'>): Promise<RefreshOutcome> {
    const fetched = await this.#fetch(attempt, flight);
    if (fetched !== null) return this.#store(attempt.request, fetched);
    this.options.onOutcome('overloaded', attempt.request.reason, attempt.request);
    return 'overloaded';
  }

  /** `null` without a slot. */
  async #fetch(attempt: Attempt, flight: Omit<Flight, 'outcome'>): Promise<FetchOutcome | null> {
    const { fetcher, queue, clock } = this.options;
    const { request, steps, health } = attempt;
    const isKnown = health.lastOkTs !== null;
    const { serverName, client } = request;
    const trace = { step: (step: FetchStep) => void steps.push(step) };
    try {
      // Before it takes a slot: silent name servers would hold all of them.
      const address = await fetcher.lookUpHost(serverName, { trace, client });
      const ticket = queue.enter(request, address);
      flight.ticket = ticket;
      for (const other of flight.clients) ticket.join(other);
      if (!(await ticket.admitted)) return null;
      try {
        attempt.startedTs = clock.now();
        const fetched = await fetcher.fetch(serverName, trace, { client, isKnown });
        return successOf(attempt, fetched, clock.now());
      } finally {
        ticket.leave();
      }
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
    const { serverName, client } = attempt.request;
    if (failure.reason === 'internal')
      logger.error({ server_name: serverName, err: failure.cause }, 'key fetch broke');
    if (client !== undefined && attempt.health.lastOkTs === null) this.#budget.spend(client);
    return failureOf(attempt, failure, { endedTs: clock.now(), settings: throttle });
  }

  async #store(request: RefreshRequest, outcome: FetchOutcome): Promise<RefreshOutcome> {
    const { logger, onOutcome, saver } = this.options;
    const { serverName, outcome: result, reason, durationMs } = outcome.entry;
    this.#health.set(serverName, outcome.health);
    const saved = await saver.save(request, outcome);
    if (saved !== 'stored' && saved !== 'kept_in_memory') {
      onOutcome(saved, 'store', request);
      return saved;
    }
    // The record after a first one is a first one again.
    if (saved === 'kept_in_memory' && outcome.isFirst === true)
      this.#health.set(serverName, { ...outcome.health, lastOkTs: null });
    if (result === 'ok')
      logger.info({ server_name: serverName, why: request.reason, ms: durationMs }, 'keys fetched');
    onOutcome(result, reason, request);
    return result;
  }
}

/** The outcome, once the query that waits for it knows of its record. */
async function counted(outcome: Promise<RefreshOutcome>, wait: RefreshWait): Promise<RefreshOutcome> {
  const ended = await outcome;
  if (ended === 'ok' || ended === 'not_stored') wait.onRecord();
  return ended;
}
