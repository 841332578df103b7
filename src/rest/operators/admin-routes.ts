import { Router, type Request, type RequestHandler } from 'express';

import { ApiError } from '../../core/base/errors/api-error.js';
import type { SameOrigin } from '../../core/access/operators/same-origin.js';
import { sendAdminError, setAdminHeaders } from './admin-answers.js';
import { exchangeOf } from '../request-exchange.js';
import { refuseOtherMethods, serve, type Handler } from '../serve.js';
import { adminMediaRoutes, type AdminMediaRoutesOptions } from './media-routes.js';
import { sessionRoutes, type SessionRoutesOptions } from './session-routes.js';
import { uiRoutes, type UiRoutesOptions } from './ui-routes.js';

export interface AdminRoutesOptions extends SessionRoutesOptions, AdminMediaRoutesOptions, UiRoutesOptions {
  sameOrigin: SameOrigin;
  /** Looks whether the store can be used; `null` when it can, else the 503 that says why. */
  findStoreError: () => Promise<ApiError | null>;
  graphql: RequestHandler;
}

/**
 * Everything below admin.base_path: session, GraphQL, media, and the pages for all the rest. The root leads
 * there.
 */
export function adminRoutes(options: AdminRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  router.use((request, response, next) => {
    const exchange = exchangeOf(response);
    exchange.route = 'admin';
    exchange.sendError = sendAdminError;
    setAdminHeaders(response);
    requireOwnName(request, options.sameOrigin);
    next();
  });
  router.use(requireStore(options));
  router.use(sessionRoutes(options));
  router.use(options.graphql);
  router.use(adminMediaRoutes(options));
  router.use(refuseOtherMethods, uiRoutes(options));
  const mounted = Router({ caseSensitive: true });
  mounted.use(options.basePath, router);
  const get: Handler = ({ response }) => {
    setAdminHeaders(response);
    response.writeHead(302, { Location: `${options.basePath}/` }).end();
  };
  serve(mounted, { label: 'admin', path: '/', get });
  return mounted;
}

/** A name that an attacker points at this machine is another site to us, though the browser cannot know. */
function requireOwnName({ headers }: Request, sameOrigin: SameOrigin): void {
  if (headers.authorization !== undefined || sameOrigin.originOf(headers) !== null) return;
  const message = 'The pages are not served under this host name; see admin.public_url';
  throw new ApiError(403, message, { errcode: 'M_FORBIDDEN', reason: 'csrf_blocked' });
}

const NEEDS_STORE = /^\/(?:session\/?$|api\/.)/;

/** The page itself needs no store: it shows what is wrong, and asks again. */
function requireStore({ findStoreError }: AdminRoutesOptions): RequestHandler {
  return async ({ path }, _response, next) => {
    const error = NEEDS_STORE.test(path) ? await findStoreError() : null;
    if (error !== null) throw error;
    next();
  };
}
