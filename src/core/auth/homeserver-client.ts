import { ApiError } from '../errors.js';
import { Deadline } from '../deadline.js';
import { fetchTrusted } from '../http/trusted-client.js';
import type { TrustedResponse } from '../http/trusted-client.js';
import type { User } from './user.js';

/** What the homeserver says of a token: a user, or `null` for a token it does not know. */
export interface TokenOwner {
  user: User | null;
  /** `soft_logout` of the homeserver's refusal. */
  softLogout: boolean;
}

const TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 64 * 1024;
const RETRY_AFTER_SECONDS = 5;

/** Asks the homeserver whose access token it is (Matrix client-server API, `account/whoami`). */
export class HomeserverClient {
  constructor(private readonly homeserverUrl: string) {}

  /**
   * `asUserId` is the `user_id` parameter of application services, passed on as it came.
   * Throws 503 when the homeserver gives no usable answer: then nobody knows, so nobody is let in.
   */
  async findOwner(token: string, asUserId: string | null): Promise<TokenOwner> {
    const response = await this.#ask(token, asUserId);
    const answer = parseObject(response.body);
    if (response.status === 401 || response.status === 403) {
      return { user: null, softLogout: answer?.['soft_logout'] === true };
    }
    const userId = answer?.['user_id'];
    if (response.status !== 200 || typeof userId !== 'string' || userId === '') throw unavailable();
    return { user: { userId, isGuest: answer?.['is_guest'] === true }, softLogout: false };
  }

  async #ask(token: string, asUserId: string | null): Promise<TrustedResponse> {
    const url = new URL('_matrix/client/v3/account/whoami', this.homeserverUrl);
    if (asUserId !== null) url.searchParams.set('user_id', asUserId);
    const deadline = new Deadline(TIMEOUT_MS);
    try {
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
      return await fetchTrusted({ url, headers, maxBodyBytes: MAX_ANSWER_BYTES, deadline });
    } catch (error) {
      throw unavailable(error);
    } finally {
      deadline.close();
    }
  }
}

function parseObject(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function unavailable(cause?: unknown): ApiError {
  return new ApiError(503, 'M_UNKNOWN', 'The homeserver cannot be asked about this access token', {
    cause,
    reason: 'homeserver_unavailable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
