import type { Client } from '../../base/fair-queue.js';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../base/clock.js';
import type { Deadline } from '../../base/deadline.js';
import type { Dialect } from '../../base/dialect.js';
import { ApiError } from '../../base/errors/api-error.js';
import { isFault, outboundError } from '../../base/errors/outbound-error.js';
import { isJsonObject, type JsonValue } from '../../base/json/json-value.js';
import { parseStrictJson } from '../../base/json/strict-json.js';
import { parseUrl } from '../../base/text/url.js';
import { entryCache } from '../../base/runtime/cache.js';
import type { OutboundRequest, OutboundResponse, SafeHttpClient } from '../../net/http/safe-http-client.js';
import type { KeptConnection } from '../../net/http/secure-connect.js';
import { parseServerName, type ServerName } from './server-name.js';

/** A number in [0, 1). Injected where an outcome depends on it, so that tests decide. */
export type Random = () => number;

const DEFAULT_MS = DAY_MS;
const MIN_MS = 5 * MINUTE_MS;
const MAX_MS = 48 * HOUR_MS;
const FAILED_MS = HOUR_MS;
/** Of a host that had a document within the life of its entry and two hours more. */
const FAILED_AFTER_GOOD_MS = 2 * MINUTE_MS;
const JITTER = 0.1;

/** Up to 10 % more or less, so that servers learnt together are not asked again together. */
function withJitter(ms: number, random: Random): number {
  return ms * (1 + JITTER * (2 * random() - 1));
}

/**
 * How long a good well-known document is kept, in ms: `max-age`, else `Expires`, held between 5 minutes and
 * 48 hours; 24 hours with jitter when it says neither; 0 for `no-store`.
 */
function lifetimeOf(headers: ReadonlyMap<string, string>, nowTs: number, random: Random): number {
  const control = headers.get('cache-control') ?? '';
  if (NO_STORE.test(control)) return 0;
  const stated = statedLifetime(control, headers.get('expires'), nowTs);
  return stated === null ? withJitter(DEFAULT_MS, random) : Math.min(Math.max(stated, MIN_MS), MAX_MS);
}

const NO_STORE = /(?:^|,)\s*no-store\s*(?:[,=]|$)/i;
const MAX_AGE = /(?:^|,)\s*max-age\s*=\s*"?(\d+)"?\s*(?:,|$)/i;

function statedLifetime(control: string, expires: string | undefined, nowTs: number): number | null {
  const maxAge = MAX_AGE.exec(control)?.[1];
  if (maxAge !== undefined) return Number(maxAge) * SECOND_MS;
  if (expires === undefined) return null;
  // RFC 9111 §5.3: an unreadable date, "0" above all, is a time in the past.
  const expiresTs = Date.parse(expires);
  return Number.isNaN(expiresTs) || /^\d+$/.test(expires) ? 0 : expiresTs - nowTs;
}

const MAX_SHOWN_LENGTH = 100;

/**
 * The server name under `member` of a well-known document. Other members are ignored.
 * @throws ApiError `bad_document` when the body is not a JSON object with a valid server name there.
 */
function parseWellKnown(body: Buffer, member: string): ServerName {
  let document: JsonValue;
  try {
    document = parseStrictJson(body, { floats: 'keep' });
  } catch (error) {
    throw outboundError('bad_document', 'not JSON', error);
  }
  const value = isJsonObject(document) ? document[member] : undefined;
  if (value === undefined) throw outboundError('bad_document', `not a JSON object with "${member}"`);
  if (typeof value !== 'string') throw outboundError('bad_document', `"${member}" is not a string`);
  const name = parseServerName(value);
  if (name === null) {
    throw outboundError(
      'bad_document',
      `${JSON.stringify(value.slice(0, MAX_SHOWN_LENGTH))} is not a server name`,
    );
  }
  return name;
}

/** Settings of the well-known look-up. */
export interface WellKnownOptions {
  httpClient: SafeHttpClient;
  dialect: Dialect;
  clock: Clock;
  random: Random;
  /** Port the document is asked at, 443 outside of closed networks. */
  port: number;
}

/** How long a look-up may take, and on whose behalf it is done. */
export interface AskedBy {
  deadline: Deadline;
  client?: Client | undefined;
  /** Whether the server has answered before. */
  isKnown?: boolean | undefined;
  /** Takes the connection of a document, for a record at the same port. */
  kept?: KeptConnection | undefined;
}

/** What a host's document says; `delegated` is null when there is no usable one, and `sentence` says why. */
interface WellKnownAnswer {
  delegated: ServerName | null;
  sentence: string;
  /** Why it is not usable: an `OutboundReason`, or `http_not_found` for a host without one; null when it is. */
  reason: string | null;
}

interface CacheEntry extends WellKnownAnswer {
  storedTs: number;
  expiresTs: number;
  /** Until then the host counts as one that had a document lately. */
  hadGoodUntilTs: number;
}

const MAX_CACHED_HOSTS = 10_000;
const MAX_BODY_BYTES = 50 * 1024;
const MAX_REDIRECTS = 5;
/** What may be our own failure says little about the host. */
const OWN_FAILURE_MS = MINUTE_MS;
const REMEMBER_GOOD_MS = 2 * HOUR_MS;
const REFRESH_FRACTION = 0.2;
/** Most servers have no document, so this is no error. */
const NO_DOCUMENT = {
  reason: 'http_not_found',
  sentence: 'There is no document, so the name itself is used',
};

/** Well-known documents (Matrix server-server API, "Resolving server names", step 3), with their cache. */
export class WellKnownClient {
  readonly #cache = entryCache<CacheEntry>(MAX_CACHED_HOSTS);

  constructor(private readonly options: WellKnownOptions) {}

  /**
   * The server that `host` (a DNS name) delegates to. A failure is an answer, not an error: discovery goes on
   * without the document. @throws ApiError `aborted` only.
   */
  async find(host: string, by: AskedBy): Promise<WellKnownAnswer & { cached: boolean }> {
    const key = host.toLowerCase();
    const entry = this.#cache.get(key);
    if (entry !== undefined && isFresh(entry, this.options.clock.now())) return { ...entry, cached: true };
    try {
      const response = await this.#request(host, by);
      // Most servers have no document: an error object costs more than the rest of this.
      return response.status === 404 ? this.#keepNone(key, entry) : this.#keepGood(key, response);
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason === 'aborted') throw error;
      return this.#keepFailure(key, entry, error);
    }
  }

  /** Forgets what is remembered of a host; returns the server it delegated to. */
  forget(host: string): ServerName | null {
    const key = host.toLowerCase();
    const delegated = this.#cache.peek(key)?.delegated ?? null;
    this.#cache.delete(key);
    return delegated;
  }

  #keepGood(key: string, { body, headers }: OutboundResponse) {
    const nowTs = this.options.clock.now();
    const delegated = parseWellKnown(body, this.options.dialect.wellKnownMember);
    const answer = { delegated, sentence: `The document names ${delegated.text}`, reason: null };
    const expiresTs = nowTs + lifetimeOf(headers, nowTs, this.options.random);
    return this.#keep(key, {
      ...answer,
      storedTs: nowTs,
      expiresTs,
      hadGoodUntilTs: expiresTs + REMEMBER_GOOD_MS,
    });
  }

  #keepFailure(key: string, entry: CacheEntry | undefined, error: ApiError) {
    const isValid =
      entry !== undefined && entry.delegated !== null && this.options.clock.now() < entry.expiresTs;
    if (isValid && !PERMANENT.has(error.reason)) return { ...entry, cached: true };
    const { reason, detail, message } = error;
    const sentence = `No usable document: ${detail ?? message} (${reason})`;
    return this.#keepNone(key, entry, { reason: reason ?? 'internal', sentence });
  }

  #keepNone(key: string, entry: CacheEntry | undefined, { reason, sentence } = NO_DOCUMENT) {
    const nowTs = this.options.clock.now();
    const hadGoodUntilTs = entry?.hadGoodUntilTs ?? 0;
    const failedMs = nowTs < hadGoodUntilTs ? FAILED_AFTER_GOOD_MS : FAILED_MS;
    const lifetimeMs = withJitter(failedMs, this.options.random);
    const isPerhapsOurs = isFault(reason, 'busy', 'resolver', 'unresolved');
    const expiresTs = nowTs + (isPerhapsOurs ? Math.min(lifetimeMs, OWN_FAILURE_MS) : lifetimeMs);
    return this.#keep(key, { delegated: null, sentence, reason, storedTs: nowTs, expiresTs, hadGoodUntilTs });
  }

  #keep(key: string, entry: CacheEntry): WellKnownAnswer & { cached: boolean } {
    this.#cache.set(key, entry);
    return { ...entry, cached: false };
  }

  async #request(host: string, by: AskedBy): Promise<OutboundResponse> {
    const { httpClient, dialect, port } = this.options;
    let hop: Hop = { host, port, hostHeader: host, tlsName: host, path: dialect.wellKnownPath };
    let response: OutboundResponse;
    // The address guard and the certificate check hold anew for each hop.
    for (let followed = 0; ; followed += 1) {
      response = await httpClient.fetchBounded({
        ...by,
        ...hop,
        maxBodyBytes: MAX_BODY_BYTES,
        isOptional: true,
        keepsOpen: true,
      });
      if (!REDIRECTS.has(response.status)) break;
      if (followed >= MAX_REDIRECTS)
        throw outboundError('http_redirect', `more than ${MAX_REDIRECTS} redirects`);
      hop = nextHop(response.headers.get('location') ?? '', hop);
    }
    if (response.status !== 200 && response.status !== 404)
      throw outboundError(reasonOf(response.status), `status ${response.status}`);
    return response;
  }
}

function reasonOf(status: number): 'http_unavailable' | 'http_error' | 'http_status' {
  if (status === 429 || status === 503) return 'http_unavailable';
  return status >= 500 ? 'http_error' : 'http_status';
}

/** The last fifth of a life is for refreshing. One that has not begun comes from a clock that was set back. */
function isFresh(entry: CacheEntry, nowTs: number): boolean {
  return (
    nowTs >= entry.storedTs && nowTs < entry.expiresTs - REFRESH_FRACTION * (entry.expiresTs - entry.storedTs)
  );
}

/** Failures that say that there is no usable document; after others an earlier one still holds. */
const PERMANENT: ReadonlySet<string | null> = new Set(['http_status', 'too_large', 'bad_document']);

type Hop = Pick<OutboundRequest, 'host' | 'port' | 'hostHeader' | 'tlsName' | 'path'>;

const HTTPS_PORT = 443;
const MAX_LOCATION_LENGTH = 8192;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Over https only. Throws `ApiError` `http_redirect` for another scheme or an unusable target. */
function nextHop(location: string, from: Hop): Hop {
  if (location === '' || location.length > MAX_LOCATION_LENGTH) {
    throw outboundError('http_redirect', 'redirect without a usable Location');
  }
  const base = `https://${from.hostHeader}${from.path}`;
  const url = parseUrl(location, base);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw outboundError('http_redirect', 'redirect to an address that is not plain https');
  }
  // A redirect within the same site stays on the port that was connected to.
  if (url.host === new URL(base).host) return { ...from, path: url.pathname + url.search };
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  if (port === 0) throw outboundError('http_redirect', 'redirect to port 0');
  return { host, port, hostHeader: url.host, tlsName: host, path: url.pathname + url.search };
}
