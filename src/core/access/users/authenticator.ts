import type { LRUCache } from 'lru-cache';

import { MINUTE_MS, type Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { Client, FairQueue } from '../../base/fair-queue.js';
import { hashToken, type AccessTokenInfo, type AccessTokenStore } from './access-token-store.js';
import { isStoreError } from '../../store/store-errors.js';
import {
  UNKNOWN_TOKEN,
  type HomeserverClient,
  type TokenOwner,
  type TokenQuestion,
  type User,
} from './homeserver-client.js';
import { entryCache } from '../../base/runtime/cache.js';

/** A request's credentials, with the user an application service speaks for. */
export interface AuthRequest {
  /** Every Authorization header of the request, in order. */
  authorization: readonly string[];
  /** Query parameter access_token; `null` when absent. */
  queryToken: string | null;
  /** Query parameter user_id; `null` when absent. */
  asUserId: string | null;
  /** The client, for a token that must be asked about. */
  client: () => Client;
}

const GOOD_LIFETIME_MS = 60_000;
/** Our own tokens may be revoked by another process, so a revocation must get here soon. */
const OWN_LIFETIME_MS = 5000;
const BAD_LIFETIME_MS = 5000;
/** A token of ours stays valid for so long while the database is away. */
const OUTAGE_GRACE_MS = 15 * MINUTE_MS;
/** Of each kind: a flood of invented tokens must not make us forget good ones. */
const MAX_REMEMBERED = 10_000;

export interface AuthenticatorOptions {
  tokens: AccessTokenStore;
  /** A token costs nothing to invent, so our own are looked up by turns. */
  reads: Pick<FairQueue, 'run'>;
  /** `null`: our own tokens are all there are. */
  homeserver: HomeserverClient | null;
  clock: Clock;
}

/**
 * Access token → user. Asks our own tokens first, then the homeserver when there is one.
 * Outcomes are remembered by hash: 60 s for good ones of the homeserver, 5 s for bad ones and our own, none beyond a
 * revocation that this process knows of. While the database is away, our own that it knew lately go on.
 */
export class Authenticator {
  /** Under way, and refused. */
  readonly #asked: LRUCache<string, Promise<TokenOwner>>;
  readonly #good: LRUCache<string, Promise<TokenOwner>>;
  /** Our own, by the hash of the token alone. */
  readonly #verified: LRUCache<string, AccessTokenInfo>;

  constructor(private readonly options: AuthenticatorOptions) {
    const { tokens, clock } = options;
    const times = { perf: clock, ttlResolution: 0 };
    this.#asked = entryCache(MAX_REMEMBERED, { ...times, ttl: BAD_LIFETIME_MS });
    this.#good = entryCache(MAX_REMEMBERED, { ...times, ttl: GOOD_LIFETIME_MS });
    this.#verified = entryCache(MAX_REMEMBERED, { ...times, ttl: OUTAGE_GRACE_MS });
    tokens.onRevoked(() => this.forgetAll());
  }

  /** After a revocation: what is under way is not known by its token's id yet; it is rare, and all are soon asked anew. */
  forgetAll(): void {
    this.#asked.clear();
    this.#good.clear();
    this.#verified.clear();
  }

  /** The request's user. Throws 401 for a missing or unknown token, 503 while nobody can tell. */
  async authenticate(request: AuthRequest): Promise<User> {
    const { user, refusal } = await this.#findOwner(readAccessToken(request), request);
    if (user !== null) return user;
    const { status, errcode, message, softLogout } = refusal;
    throw new ApiError(status, message, {
      errcode,
      ...(status === 401 ? { extra: { soft_logout: softLogout } } : {}),
    });
  }

  #findOwner(token: string, { asUserId, client }: AuthRequest): Promise<TokenOwner> {
    const key = hashToken(`${token}\n${asUserId ?? ''}`);
    const known = this.#good.get(key) ?? this.#asked.get(key);
    if (known !== undefined) return known;
    const answer = this.#ask({ token, asUserId, client: client() }, key);
    this.#asked.set(key, answer);
    // What could not be answered is asked anew by the next request.
    answer.catch(() => (this.#asked.peek(key) === answer ? this.#asked.delete(key) : undefined));
    return answer;
  }

  async #ask(question: TokenQuestion, key: string): Promise<TokenOwner> {
    const own = await this.#findOwn(question);
    if (own !== null && own.userId !== null && own.scopes.includes('preview')) {
      this.#remember(key, OWN_LIFETIME_MS);
      return { user: { userId: own.userId, isGuest: false }, refusal: null };
    }
    const { homeserver } = this.options;
    if (homeserver === null) return { user: null, refusal: UNKNOWN_TOKEN };
    const owner = await homeserver.findOwner(question);
    if (owner.user !== null) this.#remember(key, GOOD_LIFETIME_MS);
    return owner;
  }

  async #findOwn({ token, client }: TokenQuestion): Promise<AccessTokenInfo | null> {
    const { tokens, reads, clock } = this.options;
    const key = hashToken(token);
    try {
      const own = await reads.run({ client }, () => tokens.findValid(token));
      this.#verified.delete(key);
      if (own !== null) this.#verified.set(key, own);
      if (own?.scopes.includes('preview') === true) void tokens.noteUse(own);
      return own;
    } catch (error) {
      const verified = this.#verified.get(key);
      // Its turn does not come either while the store is slow.
      const isAway = isStoreError(error) || (error instanceof ApiError && error.status === 503);
      if (!isAway || verified === undefined) throw error;
      if (verified.expiresTs !== null && verified.expiresTs <= clock.now()) throw error;
      return verified;
    }
  }

  /** Nothing when everything was forgotten meanwhile. */
  #remember(key: string, lifetimeMs: number): void {
    const asked = this.#asked.peek(key);
    if (asked === undefined) return;
    this.#asked.delete(key);
    this.#good.set(key, asked, { ttl: lifetimeMs });
  }
}

/** Previews are not for guests (Matrix spec; the homeserver refuses them too). */
export function refuseGuest(user: User): User {
  if (!user.isGuest) return user;
  throw new ApiError(403, 'Guest access not allowed', { errcode: 'M_GUEST_ACCESS_FORBIDDEN' });
}

/** RFC 9110 §11.1 and §11.4: the scheme in any case, then one blank or more. */
const BEARER = /^bearer +(\S+)$/i;

/**
 * The access token of a request: `Authorization: Bearer`, or `access_token=` for old clients.
 * Throws 401 `M_MISSING_TOKEN` when there is none, or more than one way is used at once.
 */
export function readAccessToken({
  authorization,
  queryToken,
}: Pick<AuthRequest, 'authorization' | 'queryToken'>): string {
  if (authorization.length > 1) throw missingToken('Too many Authorization headers.');
  const [header] = authorization;
  if (header === undefined) {
    if (queryToken === null || queryToken === '') throw missingToken('Missing access token');
    return queryToken;
  }
  if (queryToken !== null) {
    throw missingToken('Mixing Authorization headers and access_token query parameters.');
  }
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw missingToken('Invalid Authorization header.');
  return token;
}

function missingToken(message: string): ApiError {
  return new ApiError(401, message, { errcode: 'M_MISSING_TOKEN' });
}
