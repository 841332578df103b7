import { Router } from 'express';

import { CLIENT_MEDIA_FOLDERS } from '../../core/base/dialect.js';
import { refuseGuest, type Authenticator } from '../../core/access/users/authenticator.js';
import type { RefusedRequests } from '../../core/access/users/refused-requests.js';
import type { Clock } from '../../core/base/clock.js';
import { ApiError, clientGone } from '../../core/base/errors/api-error.js';
import type { User } from '../../core/access/users/homeserver-client.js';
import type { Previewer } from '../../core/preview/pipeline/previewer.js';
import type { Exchange } from '../request-exchange.js';
import { required } from '../params.js';
import { serve, type Handler } from '../serve.js';
import { sendJsonBytes } from '../respond.js';

export interface PreviewRoutesOptions {
  /** `/_svc` or `/_matrix`. */
  pathPrefix: string;
  isEnabled: boolean;
  authenticator: Authenticator;
  /** Hears of requests that get no further than here. */
  refused: RefusedRequests;
  previewer(): Previewer;
  clock: Clock;
}

const EMPTY_OBJECT = Buffer.from('{}');

/** `GET` and `OPTIONS …/preview_url` (SPEC §4.5, §4.6) under every path that clients use. */
export function previewRoutes(options: PreviewRoutesOptions): Router {
  const router = Router();
  const requests = new PreviewRequests(options);
  const get: Handler = (exchange) => requests.answer(exchange);
  const allow: Handler = (exchange) => {
    exchange.response.setHeader('Allow', 'OPTIONS, GET');
    sendJsonBytes(exchange, EMPTY_OBJECT);
  };
  for (const folder of CLIENT_MEDIA_FOLDERS) {
    const path = `${options.pathPrefix}/${folder}/preview_url`;
    serve(router, { label: 'preview', path, get, options: allow });
  }
  return router;
}

class PreviewRequests {
  constructor(private readonly options: PreviewRoutesOptions) {}

  /** Credentials, guests, whether there are previews, `url`, `ts`: in this order (SPEC §4.6). What is known already is answered without a promise. */
  answer(exchange: Exchange): void | Promise<void> {
    const { authenticator } = this.options;
    const { credentials } = exchange;
    const known = this.#admitted(exchange, () => authenticator.recall(credentials));
    if (known !== null) return this.#answer(exchange, known);
    return authenticator.authenticate(credentials).then(
      (user) => {
        // Nobody waits for the preview any more.
        if (exchange.response.destroyed) throw clientGone();
        return this.#answer(exchange, user);
      },
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

  #answer(exchange: Exchange, user: User): void | Promise<void> {
    const { userId } = this.#admitted(exchange, () => {
      const member = refuseGuest(user);
      if (this.options.isEnabled) return member;
      throw new ApiError(403, 'URL previews are switched off', { errcode: 'M_FORBIDDEN' });
    });

    const { query, requestId } = exchange;
    const url = required(query.text('url'), "string query parameter 'url'");
    const asked = query.integer('ts');
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
