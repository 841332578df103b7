import { addCount, type FairQueue, type QueueTicket, type Client } from '../../base/fair-queue.js';
import { MINUTE_MS, SECOND_MS, type Clock } from '../../base/clock.js';
import { storeFull, storeUnavailable } from '../../base/errors/api-error.js';
import { TokenBuckets, type RateLimitSettings } from '../../base/limits/rate-limit.js';
import { withoutRedaction, type Logger } from '../../base/logger.js';
import type { Database } from '../../store/db.js';
import { hostKey } from '../federation/server-name.js';
import {
  attemptFetch,
  type KeyFetcher,
  isThrottled,
  newSeries,
  QueryWait,
  type RefreshOutcome,
  type RefreshRequest,
  type Series,
} from './key-fetcher.js';
import { type BackoffSettings, type FetchOutcome, isBackingOff, RememberedHealth } from './fetch-store.js';
import type { OutcomeSaver } from './saving/outcome-saver.js';
import type { FailedServers } from './saving/storage-limits.js';

export interface KeyRefresherOptions {
  fetcher: KeyFetcher;
  database: Database;
  saver: OutcomeSaver;
  failedServers: FailedServers;
  /** Slots for fetches; a group is the address of a server. */
  queue: FairQueue;
  /** Names that one client may have under way. */
  maxNamesPerClient: number;
  throttle: RateLimitSettings;
  backoff: BackoffSettings;
  clock: Clock;
  logger: Logger;
  outcomes: { inc(labels: { outcome: RefreshOutcome; reason: string }, count: number): void };
}

/** One refresh under way, which other queries may join. */
interface Flight {
  outcome: Promise<RefreshOutcome>;
  startedMs: number;
  /** Those that have joined. */
  clients: Set<Client>;
  ticket: QueueTicket | null;
}

/** Failed fetches of servers that never answered which one client may cause: at once, and then 20 a second. */
const FAILURES: RateLimitSettings = { burst: 100, intervalMs: SECOND_MS / 20 };
/** Fetches that one query may begin with, and more for each host that DNS knows: invented names cost little. */
const FREE_FETCHES = 16;
const FETCHES_PER_HOST = 8;
/** Servers that one query may have refreshed; the rest is answered from the store. */
const MAX_NAMES_PER_QUERY = 256;
/** A server that is silent for so long, or has failed within a minute, holds up no query with an answer. */
const [SILENT_MS, FAILED_LATELY_MS] = [SECOND_MS, MINUTE_MS] as const;

/**
 * Brings stored keys up to date: one fetch a server at a time, bounded for each client and in total, held back by
 * throttle and back-off. Every outcome is stored: a failed refresh is a row and a log line, not a rejection.
 */
export class KeyRefresher {
  readonly #inFlight = new Map<string, Flight>();
  readonly #health: RememberedHealth;
  /** Names that each client has under way. */
  readonly #underWay = new Map<Client, number>();
  readonly #failures = new TokenBuckets(FAILURES, () => performance.now());
  readonly #plainLogger: Logger;
  /** By host: other spellings and ports of it cost nothing to invent. */
  readonly #throttle: TokenBuckets;

  constructor(private readonly options: KeyRefresherOptions) {
    options.saver.underWay = () => this.#inFlight.size;
    const { database, clock, failedServers } = options;
    this.#health = new RememberedHealth(database, clock, (name) => failedServers.mayBeStored(name));
    this.#throttle = new TokenBuckets(options.throttle, () => options.clock.now());
    this.#plainLogger = withoutRedaction(options.logger);
  }

  /**
   * Refreshes the servers of one query, and resolves when it need not wait any longer; fetches go on. Rejects when the
   * store cannot be reached or is full. `hasAnswer`: no server is waited for that has been silent or failed lately.
   */
  async refreshAll(
    requests: readonly RefreshRequest[],
    { limitMs, hasOthers, hasAnswer }: { limitMs: number; hasOthers: boolean; hasAnswer: boolean },
  ): Promise<void> {
    const some = this.#fetchable(requests);
    const isSlow = ({ serverName }: RefreshRequest) => hasAnswer && this.#isSlow(serverName);
    const waitedFor = some.filter((request) => !isSlow(request));
    const order = [...waitedFor, ...some.filter(isSlow)];
    const series = newSeries({
      client: requests[0]?.client ?? '',
      wait: new QueryWait(limitMs, hasOthers),
      next: order.filter(({ serverName }) => !this.#inFlight.has(serverName)),
      waitedFor: new Set(waitedFor.map(({ serverName }) => serverName)),
    });
    for (const request of order) if (this.#inFlight.has(request.serverName)) this.#startOne(series, request);
    void this.#startMore(series);
    await series.wait.over;
    if (series.error !== null) throw series.error;
  }

  /**
   * Fetches one server at an operator's word, whatever back-off and throttle say; waits for a refresh under way
   * first. Rejects when the store cannot be read.
   */
  async refreshNow(serverName: string): Promise<RefreshOutcome> {
    await this.#health.load([{ serverName, reason: 'operator' }]);
    // Last, so that none begins meanwhile.
    while (this.#inFlight.has(serverName)) await this.#inFlight.get(serverName)?.outcome;
    return this.#start({ serverName, reason: 'operator', cause: 'operator' }).outcome;
  }

  /** Resolves when no refresh is under way. */
  async settle(): Promise<void> {
    while (this.#inFlight.size > 0)
      await Promise.allSettled(Array.from(this.#inFlight.values(), ({ outcome }) => outcome));
  }

  /** Names that may be asked for, as many as one query may have refreshed. */
  #fetchable(requests: readonly RefreshRequest[]): RefreshRequest[] {
    const some: RefreshRequest[] = [];
    let [blocked, looked] = [0, 0];
    for (; looked < requests.length && some.length < MAX_NAMES_PER_QUERY; looked += 1) {
      const request = requests[looked];
      const verdict = this.options.fetcher.client.verdict(request?.serverName ?? '');
      if (verdict === 'allowed' && request !== undefined) some.push(request);
      if (verdict === 'blocked') blocked += 1;
    }
    this.#count('failed', 'address_blocked', blocked);
    this.#count('overloaded', null, requests.length - looked);
    return some;
  }

  /** Starts what the limits admit, unless the query does not wait any more. */
  async #startMore(series: Series): Promise<void> {
    if (series.isStarting) return;
    series.isStarting = true;
    const { wait, waitedFor } = series;
    try {
      for (;;) {
        const atOnce = Math.min(
          this.#slotsFor(series) - series.running,
          FREE_FETCHES + FETCHES_PER_HOST * series.found - series.started,
        );
        if (wait.isOver || atOnce <= 0) break;
        const portion = series.next.splice(0, atOnce);
        if (portion.length === 0) break;
        // Decided once, before anything is read: with a token that comes meanwhile it would start unknown.
        const wanted = portion.filter((request) => !this.#hasFailedTooOften(request));
        for (const request of portion) if (!wanted.includes(request)) waitedFor.delete(request.serverName);
        this.#count('overloaded', null, portion.length - wanted.length);
        // Counted before that: other queries of the client come meanwhile.
        addCount(this.#underWay, series.client, wanted.length);
        await this.#health
          .load(wanted)
          .finally(() => addCount(this.#underWay, series.client, -wanted.length));
        for (const request of wanted) this.#startOne(series, request);
      }
    } catch (error) {
      series.error = error;
      series.wait.end();
    }
    series.isStarting = false;
    if (series.pending > 0 && series.waitedFor.size > 0) return;
    if (series.pending === 0) this.#count('overloaded', null, series.next.splice(0).length);
    wait.end();
  }

  #startOne(series: Series, request: RefreshRequest): void {
    const running = this.#join(request);
    const foundHost = (): void => {
      series.found += 1;
      void this.#startMore(series);
    };
    const { serverName } = request;
    const flight = running ?? this.#startAllowed(request, foundHost);
    if (flight === null) {
      series.waitedFor.delete(serverName);
      return;
    }
    // One that is under way takes none of the slots of the client.
    const slots = running === undefined ? 1 : 0;
    series.pending += 1;
    series.running += slots;
    series.started += slots;
    addCount(this.#underWay, series.client, slots);
    void flight.outcome.then((ended) => {
      series.pending -= 1;
      series.running -= slots;
      series.waitedFor.delete(serverName);
      addCount(this.#underWay, series.client, -slots);
      if (ended === 'ok' || ended === 'not_stored') series.wait.arrived();
      if (ended === 'store_unavailable') series.error = storeUnavailable();
      if (ended === 'store_full') series.error = storeFull();
      if (series.error !== null) series.wait.end();
      return this.#startMore(series);
    });
  }

  /** Half of the names that its client has left without it, and of the last quarter one: other queries go on. */
  #slotsFor({ client, running }: Series): number {
    const { maxNamesPerClient } = this.options;
    const left = Math.max(0, maxNamesPerClient - (this.#underWay.get(client) ?? 0) + running);
    return left > maxNamesPerClient / 4 ? Math.ceil(left / 2) : Math.min(1, left);
  }

  #join({ serverName, client }: RefreshRequest): Flight | undefined {
    const flight = this.#inFlight.get(serverName);
    if (flight === undefined || client === undefined) return flight;
    flight.clients.add(client);
    flight.ticket?.join(client);
    return flight;
  }

  /** `null`: it may not be fetched now, which is decided without a promise or an error object. */
  #startAllowed(request: RefreshRequest, onHost: () => void): Flight | null {
    const { serverName, reason } = request;
    const { backoff, clock } = this.options;
    if (this.#hasFailedTooOften(request)) this.#count('overloaded', null);
    else if (isBackingOff(this.#health.get(serverName), clock.now(), backoff)) this.#count('backoff', reason);
    else if (isThrottled(reason) && this.#throttle.left(hostKey(serverName)) < 1)
      this.#count('throttled', reason);
    else return this.#start(request, onHost);
    return null;
  }

  #hasFailedTooOften({ serverName, reason, client }: RefreshRequest): boolean {
    if (reason !== 'absent' || client === undefined || this.#inFlight.has(serverName)) return false;
    return this.#failures.left(client) < 1;
  }

  #start(request: RefreshRequest, onHost: () => void = () => undefined): Flight {
    const { serverName, reason } = request;
    if (isThrottled(reason)) this.#throttle.spend(hostKey(serverName));
    const flight = { startedMs: performance.now(), clients: new Set<Client>(), ticket: null };
    const outcome = this.#refresh(request, { flight, onHost }).finally(() =>
      this.#inFlight.delete(serverName),
    );
    const started = Object.assign(flight, { outcome });
    this.#inFlight.set(serverName, started);
    return started;
  }

  async #refresh(
    request: RefreshRequest,
    { flight, onHost }: { flight: Omit<Flight, 'outcome'>; onHost: () => void },
  ): Promise<RefreshOutcome> {
    const { serverName, client, reason } = request;
    const health = this.#health.get(serverName);
    const payer = health.lastOkTs === null ? client : undefined;
    // Counts as a failure until its host is found, so that many at once are no more than one after another.
    if (payer !== undefined) this.#failures.spend(payer);
    const onTicket = (ticket: QueueTicket, address: string | null): void => {
      if (address !== null) onHost();
      if (payer !== undefined) this.#failures.giveBack(payer);
      flight.ticket = ticket;
      for (const other of flight.clients) ticket.join(other);
    };
    const outcome = await attemptFetch(request, { ...this.options, health, onTicket });
    if (outcome === null) return this.#count('overloaded', reason);
    if (outcome.fetched === null && payer !== undefined && flight.ticket) this.#failures.spend(payer);
    return this.#store(request, outcome);
  }

  async #store(request: RefreshRequest, outcome: FetchOutcome): Promise<RefreshOutcome> {
    const { serverName, outcome: result, reason, durationMs } = outcome.entry;
    this.#health.set(serverName, outcome.health);
    const saved = await this.options.saver.save(request, outcome);
    if (saved !== 'stored' && saved !== 'kept_in_memory') return this.#count(saved, 'store');
    // The record after a first one is a first one again.
    if (saved === 'kept_in_memory' && outcome.isFirst === true)
      this.#health.set(serverName, { ...outcome.health, lastOkTs: null });
    if (result === 'ok')
      this.#plainLogger.info(
        { server_name: serverName, why: request.reason, ms: durationMs },
        'keys fetched',
      );
    return this.#count(result, reason);
  }

  #count(outcome: RefreshOutcome, reason: string | null, count = 1): RefreshOutcome {
    if (count > 0) this.options.outcomes.inc({ outcome, reason: reason ?? 'none' }, count);
    return outcome;
  }

  /** Whether a server has been silent for a while, or failed lately. */
  #isSlow(serverName: string): boolean {
    const startedMs = this.#inFlight.get(serverName)?.startedMs ?? Infinity;
    if (performance.now() - startedMs >= SILENT_MS) return true;
    const { failCount, lastFetchTs } = this.#health.get(serverName);
    return failCount > 0 && Math.abs(this.options.clock.now() - (lastFetchTs ?? 0)) < FAILED_LATELY_MS;
  }
}
