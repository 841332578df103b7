import { refuseGuest, type Authenticator } from '../../core/access/users/authenticator.js';
import type { RefusedRequests } from '../../core/access/users/refused-requests.js';
import type { Clock } from '../../core/base/clock.js';
import { ApiError, methodNotAllowed } from '../../core/base/errors/api-error.js';
import type { User } from '../../core/access/users/user.js';
import type { Previewer } from '../../core/preview/pipeline/previewer.js';
import { PREVIEW_ROUTES, PREVIEW_TS, PREVIEW_URL } from '../api/client-routes.js';
import { allowedMethods, pathsOf } from '../api/route.js';
import type { Exchange } from '../request-exchange.js';
import { queryOf } from '../params.js';
import { credentialsOf } from './require-user.js';
import { sendJsonBytes } from '../respond.js';

/** What the preview route is built from. */
export interface PreviewRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  /** Setting url_preview_enabled. */
  isEnabled: boolean;
  authenticator: Authenticator;
  /** Hears of requests that get no further than here. */
  refused: RefusedRequests;
  previewer(): Previewer;
  /** Whether a proxy in front states the client's address in X-Forwarded-For. */
  xForwarded: boolean;
  clock: Clock;
}

const EMPTY_OBJECT = Buffer.from('{}');
const ALLOWED = allowedMethods(PREVIEW_ROUTES.preview);

/**
 * `GET` and `OPTIONS …/preview_url` (SPEC §4.5, §4.6) under every path that clients use.
 * A plain handler in front of Express: clients load a room's links in bursts, mostly from memory.
 */
export class PreviewRoutes {
  readonly #paths: ReadonlySet<string>;

  constructor(private readonly options: PreviewRoutesOptions) {
    const { pathPrefix } = options;
    this.#paths = new Set(pathsOf(PREVIEW_ROUTES.preview).map((path) => `${pathPrefix}${path}`));
  }

  /** Handles the exchange when its path is ours; `false` when it is not. Errors reject. */
  handle(exchange: Exchange): false | void | Promise<void> {
    const target = exchange.request.url ?? '';
    const mark = target.indexOf('?');
    const path = mark === -1 ? target : target.slice(0, mark);
    if (!this.#paths.has(path) && !this.#paths.has(path.replace(/\/$/, ''))) return false;

    exchange.route = PREVIEW_ROUTES.preview.label;
    const { method } = exchange.request;
    if (method === 'OPTIONS') return sendJsonBytes(exchange, EMPTY_OBJECT, ['Allow', ALLOWED]);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(ALLOWED);
    return this.#preview(exchange);
  }

  /** Credentials first, then `url`, then `ts`. What is known already is answered without a promise. */
  #preview(exchange: Exchange): void | Promise<void> {
    const { authenticator, xForwarded } = this.options;
    const query = queryOf(exchange.target);
    exchange.query = query;
    const credentials = credentialsOf(exchange.request, { query, xForwarded });
    const known = this.#admitted(exchange, () => authenticator.recall(credentials));
    if (known !== null) return this.#answer(exchange, known, query);
    return authenticator.authenticate(credentials).then(
      (user) => this.#answer(exchange, user, query),
      (error: unknown) => {
        throw this.options.refused.note(error, exchange.requestId);
      },
    );
  }

  /** What `step` gives; a refusal by it is counted. */
  #admitted<T>({ requestId }: Exchange, step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw this.options.refused.note(error, requestId);
    }
  }

  #answer(exchange: Exchange, user: User, query: URLSearchParams): void | Promise<void> {
    const { userId } = this.#admitted(exchange, () => {
      if (this.options.isEnabled) return refuseGuest(user);
      throw new ApiError(403, 'URL previews are switched off', { errcode: 'M_FORBIDDEN' });
    });

    const url = PREVIEW_URL.read(query, exchange.target);
    const { requestId } = exchange;
    const asked = PREVIEW_TS.read(query, exchange.target);
    const ts = asked === null ? this.options.clock.now() : storableTs(asked);
    const whenGone = (listener: () => void): unknown => exchange.response.once('close', listener);
    const previewer = this.#admitted(exchange, () => this.options.previewer());
    const body = previewer.preview({ url, userId, ts, requestId, whenGone });
    if (body instanceof Promise) return body.then((bytes) => sendJsonBytes(exchange, bytes));
    return sendJsonBytes(exchange, body);
  }
}

/** Times beyond what a database column holds are as good as its bounds. */
function storableTs(ts: number | bigint): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(ts)));
}
