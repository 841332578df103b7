import type { Client, FairQueue, QueueTicket } from '../../base/fair-queue.js';
import { SECOND_MS, type Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { EventLoopQueue } from '../../base/limits/event-loop-queue.js';
import type { Logger } from '../../base/logger.js';
import { bodyStart } from '../../base/text/strings.js';
import { addressGroup } from '../../net/address/ip-address.js';
import type { FederationClient, FetchKeysOptions } from '../federation/federation-client.js';
import type { TraceStep, Trace } from '../../base/trace.js';
import { type AcceptedRecord, acceptKeyRecord, type KeyRecordPolicy } from '../key-record/key-record.js';
import { recordErrorEvent } from './key-changes.js';
import {
  afterFailure,
  afterSuccess,
  type BackoffSettings,
  type FetchCause,
  type FetchOutcome,
  type ServerHealth,
} from './fetch-store.js';

/**
 * Why a fetch is wanted. `absent`: nothing is stored of the server; `stale`: past half of its life;
 * `unknown_key` and `minimum`: what is stored is fresh, but not what the caller asks for;
 * `short_lived`: the origin publishes records that are stale (almost) on arrival; `operator`: an operator wants it.
 */
export type FetchReason = 'absent' | 'stale' | 'unknown_key' | 'minimum' | 'short_lived' | 'operator';

/** Reasons that bring a fetch with every query, so they draw from the per-server throttle. */
export function isThrottled(reason: FetchReason): boolean {
  return reason === 'unknown_key' || reason === 'minimum' || reason === 'short_lived';
}

/** A server whose keys are to be fetched. */
export interface RefreshRequest {
  serverName: string;
  reason: FetchReason;
  cause: FetchCause;
  /** Absent: no client asked. */
  client?: Client | undefined;
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

/** How one fetch is run. */
interface KeyFetchOptions extends Omit<FetchKeysOptions, 'trace'> {
  /** Called with the answer before it is checked: a refused one is seen, too. */
  seen?: (published: Buffer) => void;
}

/** Remote server → verified record. Stores nothing. */
export class KeyFetcher {
  /** Checking a record takes up to 30 ms. */
  readonly #checks = new EventLoopQueue();

  constructor(
    readonly client: FederationClient,
    private readonly policy: KeyRecordPolicy,
  ) {}

  /**
   * Asks the origin for its own record and checks it (server name, keys, signatures).
   * Every step goes to `trace`. Throws an `ApiError` whose `reason` says what failed.
   */
  async fetch(
    serverName: string,
    trace: Trace,
    { seen, ...options }: KeyFetchOptions = {},
  ): Promise<{ record: AcceptedRecord; published: Buffer }> {
    const body = await this.client.fetchServerKeys(serverName, { ...options, trace });
    seen?.(body);
    const startedMs = performance.now();
    const ended = () => ({ name: 'record' as const, ms: performance.now() - startedMs });
    try {
      const sent = { client: options.client ?? '', bytes: body.length };
      const record = await this.#checks.result(sent, () => acceptKeyRecord(body, serverName, this.policy));
      const sentence = `The record of ${serverName} is signed by a key it lists.`;
      const detail = { keys: record.verifyKeys.size, old_keys: record.oldVerifyKeys.size };
      trace.step({ ...ended(), status: 'ok', sentence, detail });
      return { record, published: body };
    } catch (error) {
      const refused = error instanceof ApiError ? error : null;
      const reason = refused?.reason ?? 'internal';
      const isPage = reason === 'json_syntax' && /^\s*</.test(body.subarray(0, 100).toString('latin1'));
      const sentence = isPage
        ? 'The response is not JSON: it looks like an HTML page.'
        : (refused?.detail ?? 'The record could not be checked.');
      // What is not JSON is shown: most often it is the page of something else that listens there.
      const detail: Record<string, string | number> = { reason };
      if (reason.startsWith('json_')) Object.assign(detail, { bytes: body.length, body: bodyStart(body) });
      trace.step({ ...ended(), status: 'failed', sentence, detail });
      throw error;
    }
  }
}

interface AttemptParts {
  fetcher: KeyFetcher;
  queue: FairQueue;
  backoff: BackoffSettings;
  clock: Clock;
  logger: Logger;
  health: ServerHealth;
  /** Called when it begins to wait for a slot; the address is `null` when the host has none. */
  onTicket: (ticket: QueueTicket, address: string | null) => void;
}

/**
 * One fetch with all that it leaves behind: looks the host up, waits for a slot, fetches the record and checks it.
 * `null` without a slot. Never rejects.
 */
export async function attemptFetch(
  request: RefreshRequest,
  parts: AttemptParts,
): Promise<FetchOutcome | null> {
  const { fetcher, queue, clock, health, onTicket } = parts;
  const { serverName, client, cause } = request;
  const steps: TraceStep[] = [];
  const trace = { step: (step: TraceStep) => void steps.push(step) };
  let startedTs = clock.now();
  const attempt = () => {
    const durationMs = Math.max(0, clock.now() - startedTs);
    return { serverName, startedTs, durationMs, steps, cause };
  };
  let ticket: QueueTicket | null = null;
  try {
    // Before it takes a slot: silent name servers would hold all of them.
    const address = await fetcher.client.lookUpHost(serverName, { trace, client });
    const group = address === null ? '' : addressGroup(address);
    ticket = queue.enter({ client: client ?? `server:${serverName}`, group });
    onTicket(ticket, address);
    if (!(await ticket.admitted)) return null;
    startedTs = clock.now();
    const isFirst = health.lastOkTs === null;
    const fetched = await fetcher.fetch(serverName, trace, { client, isKnown: !isFirst });
    return {
      entry: { ...attempt(), outcome: 'ok', reason: null, message: null },
      health: afterSuccess(health, startedTs),
      fetched: { ...fetched, fetchedTs: startedTs },
      events: [],
      isFirst,
    };
  } catch (error) {
    return failed(attempt(), error, parts);
  } finally {
    ticket?.leave();
  }
}

function failed(
  attempt: Omit<FetchOutcome['entry'], 'outcome' | 'reason' | 'message'>,
  error: unknown,
  { health, backoff, logger }: AttemptParts,
): FetchOutcome {
  const { serverName, startedTs, durationMs } = attempt;
  const failure = error instanceof ApiError ? error : new ApiError(502, 'Key fetch failed');
  if (failure !== error)
    logger.error({ server_name: serverName, err: error }, 'unexpected error in a key fetch');
  const why = { reason: failure.reason ?? 'internal', message: failure.detail ?? failure.message };
  const event = recordErrorEvent(why.reason, why.message);
  return {
    entry: { ...attempt, ...why, outcome: 'failed' },
    health: afterFailure(health, { startedTs, endedTs: startedTs + durationMs, ...why }, backoff),
    fetched: null,
    events: event === null ? [] : [event],
  };
}

/** After the last record that came. */
const QUIET_MS = 2 * SECOND_MS;
/** After the first one, or from the beginning when some were known. */
const OTHERS_MS = 4 * SECOND_MS;

/** How long one query waits for its fetches (SPEC §4.4.10): a silent server does not hold up what the others sent. */
export class QueryWait {
  /** Resolves to nothing when the waiting is over. */
  readonly over: Promise<undefined>;
  isOver = false;
  #resolve: (nothing: undefined) => void = () => {};
  #untilMs: number;
  #timer: NodeJS.Timeout | undefined;

  /** `hasOthers`: some of the servers are answered from the store. */
  constructor(
    limitMs: number,
    private hasOthers: boolean,
  ) {
    this.over = new Promise((resolve) => (this.#resolve = resolve));
    this.#untilMs = performance.now() + (hasOthers ? Math.min(limitMs, OTHERS_MS) : limitMs);
    this.#endAt(this.#untilMs);
  }

  /** A fetch brought a record. */
  arrived(): void {
    const nowMs = performance.now();
    if (!this.hasOthers) this.#untilMs = Math.min(this.#untilMs, nowMs + OTHERS_MS);
    this.hasOthers = true;
    if (!this.isOver) this.#endAt(Math.min(this.#untilMs, nowMs + QUIET_MS));
  }

  end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(undefined);
  }

  #endAt(atMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), Math.max(0, atMs - performance.now()));
  }
}

export type Series = ReturnType<typeof newSeries>;

/** The refreshes of one query: more are started the more of their hosts are found. */
export function newSeries(parts: {
  client: Client;
  wait: QueryWait;
  /** Still to be started; those that the query does not wait for come last. */
  next: RefreshRequest[];
  /** Names that are waited for and have not ended. */
  waitedFor: Set<string>;
}) {
  /** Refreshes under way, and of them those that take slots. */
  const [pending, running] = [0, 0];
  const error: unknown = null;
  return { ...parts, pending, running, started: 0, found: 0, isStarting: false, error };
}
