import { Router } from 'express';

import { CLIENT_MEDIA_FOLDERS } from '../../core/base/dialect.js';
import { refuseGuest, type Authenticator } from '../../core/access/users/authenticator.js';
import type { RefusedRequests } from '../../core/access/users/refused-requests.js';
import type { Clock } from '../../core/base/clock.js';
import { ApiError, clientGone } from '../../core/base/errors/api-error.js';
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
  const get: Handler = (exchange) => answer(exchange, options);
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

/** Credentials, guests, whether there are previews, `url`, `ts`: in this order (SPEC §4.6). */
async function answer(exchange: Exchange, options: PreviewRoutesOptions): Promise<void> {
  const { userId, previewer } = await admit(exchange, options);
  // Nobody waits for the preview any more.
  if (exchange.response.destroyed) throw clientGone();
  const { query, requestId } = exchange;
  const url = required(query.text('url'), "string query parameter 'url'");
  const asked = query.integer('ts');
  const ts = asked === null ? options.clock.now() : storableTs(asked);
  const whenGone = (listener: () => void): unknown => exchange.response.on('close', listener);
  sendJsonBytes(exchange, await previewer.preview({ url, userId, ts, requestId, whenGone }));
}

/** Whom a preview is made for, and what makes it; refusals are counted. */
async function admit({ credentials, requestId }: Exchange, options: PreviewRoutesOptions) {
  try {
    const { userId } = refuseGuest(await options.authenticator.authenticate(credentials));
    if (options.isEnabled) return { userId, previewer: options.previewer() };
    throw new ApiError(403, 'URL previews are switched off', { errcode: 'M_FORBIDDEN' });
  } catch (error) {
    throw options.refused.note(error, requestId);
  }
}

/** Times beyond what a database column holds are as good as its bounds. */
function storableTs(ts: number | bigint): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(ts)));
}
