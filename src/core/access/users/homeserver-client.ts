import { ApiError, type Errcode } from '../../base/errors/api-error.js';
import type { Client, FairQueue } from '../../base/fair-queue.js';
import { fetchTrusted, type TrustedResponse } from '../../net/http/trusted-client.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.js';
import { parseJsonOrNull } from '../../base/json/strict-json.js';

/** Who a request comes from. */
export interface User {
  userId: string;
  isGuest: boolean;
}

/** Why a token lets nobody in. */
export interface Refusal {
  status: 401 | 403;
  errcode: Errcode;
  message: string;
  softLogout: boolean;
}

/** What the homeserver says of a token. */
export type TokenOwner = { user: User; refusal: null } | { user: null; refusal: Refusal };

/** For a token that nobody knows. */
export const UNKNOWN_TOKEN: Refusal = {
  status: 401,
  errcode: 'M_UNKNOWN_TOKEN',
  message: 'Invalid access token passed.',
  softLogout: false,
};

const NO_USER_ID: Refusal = {
  status: 403,
  errcode: 'M_FORBIDDEN',
  message: 'user_id is too long',
  softLogout: false,
};

/**
 * What a homeserver says when it knows the token and still refuses. Clients end their session at `M_UNKNOWN_TOKEN`,
 * so it must not be said for these, nor for a refusal by anybody else on the way.
 */
const PASSED_ON: readonly Errcode[] = [
  'M_FORBIDDEN',
  'M_GUEST_ACCESS_FORBIDDEN',
  'M_USER_DEACTIVATED',
  'M_USER_LOCKED',
  'M_USER_SUSPENDED',
];
const MAX_MESSAGE_LENGTH = 300;

const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024;
const RETRY_AFTER_SECONDS = 5;
/** What can stand in a header, and no longer than any homeserver's. */
const POSSIBLE_TOKEN = /^[\x21-\x7e]{1,2048}$/;
/** Twice the longest user ID (Matrix spec, "User identifiers"), for its escapes. */
const MAX_USER_ID_LENGTH = 510;

export interface TokenQuestion {
  token: string;
  /** The `user_id` parameter of application services, passed on as it came. */
  asUserId: string | null;
  /** The client that brought the token; those without one count as one. */
  client: Client | undefined;
}

/** Asks the homeserver whose access token it is (Matrix client-server API, `account/whoami`). */
export class HomeserverClient {
  constructor(
    private readonly url: string,
    /** A token costs nothing to invent, so questions are queued by client. */
    private readonly queue: Pick<FairQueue, 'run'>,
  ) {}

  /**
   * Throws 503 when the homeserver gives no usable answer within five seconds: then nobody knows, so nobody is let in. The
   * same when the question has not got its turn in five seconds.
   */
  async findOwner({ token, asUserId, client }: TokenQuestion): Promise<TokenOwner> {
    if (!POSSIBLE_TOKEN.test(token)) return { user: null, refusal: UNKNOWN_TOKEN };
    if ((asUserId ?? '').length > MAX_USER_ID_LENGTH) return { user: null, refusal: NO_USER_ID };
    return this.queue.run({ client }, async () => readAnswer(await this.#ask(token, asUserId)));
  }

  async #ask(token: string, asUserId: string | null): Promise<TrustedResponse> {
    const url = new URL('_matrix/client/v3/account/whoami', this.url);
    if (asUserId !== null) url.searchParams.set('user_id', asUserId);
    const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
    const asked = fetchTrusted({ url, headers, maxBodyBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS });
    return asked.catch((error: unknown) => Promise.reject(unavailable(error)));
  }
}

function readAnswer({ status, body }: TrustedResponse): TokenOwner {
  const parsed = parseJsonOrNull(body);
  const answer = isJsonObject(parsed) ? parsed : null;
  if (status === 401 || status === 403) return { user: null, refusal: readRefusal(status, answer) };
  const userId = answer?.['user_id'];
  if (status !== 200 || typeof userId !== 'string' || userId === '') throw unavailable();
  return { user: { userId, isGuest: answer?.['is_guest'] === true }, refusal: null };
}

/** A refusal that is not a homeserver's own, as of a proxy, is not a usable answer. */
function readRefusal(status: 401 | 403, answer: JsonObject | null): Refusal {
  const softLogout = answer?.['soft_logout'] === true;
  if (answer?.['errcode'] === UNKNOWN_TOKEN.errcode) return { ...UNKNOWN_TOKEN, softLogout };
  const told = answer?.['errcode'];
  if (typeof told !== 'string' || told === 'M_MISSING_TOKEN') throw unavailable();
  const errcode = PASSED_ON.find((known) => known === told) ?? 'M_FORBIDDEN';
  const stated = answer?.['error'];
  const message =
    typeof stated === 'string' ? stated.slice(0, MAX_MESSAGE_LENGTH) : 'Refused by the homeserver';
  return { status, errcode, message, softLogout };
}

function unavailable(cause?: unknown): ApiError {
  return new ApiError(503, 'The homeserver could not check this access token', {
    cause,
    reason: 'homeserver_unavailable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
