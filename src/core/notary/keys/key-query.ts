import { SECOND_MS } from '../../base/clock.js';
import type { Client } from '../../base/fair-queue.js';
import type { FetchCause } from './fetch-store.js';

/** What a caller wants of one key id (SPEC §2.2). */
export interface KeyRequest {
  keyId: string;
  /** Lowest acceptable `valid_until_ts` in POSIX ms; `null` when the caller did not say. */
  minimumValidUntilTs: number | bigint | null;
}

/** What a caller wants of one server. No keys: all keys of the server, without validity checks (SPEC §4.3). */
export interface ServerQuery {
  serverName: string;
  keys: readonly KeyRequest[];
}

/** Limits of one POST: a homeserver that joins the largest rooms asks about some hundred servers at a time. */
export const KEY_QUERY_LIMITS = {
  maxBodyBytes: 1024 * 1024,
  maxServers: 1000,
  maxKeyIdsPerServer: 100,
  maxKeyIds: 5000,
  /** Larger answers are refused, so that nobody can have us assemble them. */
  maxAnswerBytes: 16 * 1024 * 1024,
};

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

/** Where the list stands, or one entry of it, such as `config.yaml:12`; `null` when that is not known. */
export type OriginOf = (position: number | null) => string | null;

/** Setting federation_domain_whitelist, which operators may change while the service runs. */
export class FederationWhitelist {
  #list: readonly string[] = [];
  #names: ReadonlySet<string> | null = null;
  #originOf: OriginOf = () => null;

  /** `names` null: not configured, every server may be asked; empty: none. */
  constructor(names: readonly string[] | null, originOf: OriginOf = () => null) {
    this.replace(names, originOf);
  }

  /** The servers that may be asked; `null` when all may. */
  get names(): ReadonlySet<string> | null {
    return this.#names;
  }

  /** Which setting decides on a server and where it stands, with the entry that names it where there is one. */
  sourceOf(serverName: string): string {
    const position = this.#list.indexOf(serverName);
    const origin = this.#originOf(position === -1 ? null : position);
    const entry = position === -1 ? '' : `entry ${position + 1} of `;
    return `${entry}federation_domain_whitelist${origin === null ? '' : ` (${origin})`}`;
  }

  /** Whether a server may be asked for its keys (SPEC §4.4.6). Names are compared whole. */
  allows(serverName: string): boolean {
    return this.#names === null || this.#names.has(serverName);
  }

  /** Takes other names from now on; fetches under way go on. */
  replace(names: readonly string[] | null, originOf: OriginOf): void {
    this.#list = names ?? [];
    this.#names = names === null ? null : new Set(names);
    this.#originOf = originOf;
  }
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
