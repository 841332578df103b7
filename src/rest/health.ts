import { Router, type RequestHandler } from 'express';

import type { Readiness } from '../core/base/lifecycle.js';
import { serveRoute } from './api/serve-route.js';
import { HEALTH_ROUTES } from './api/service-routes.js';

/** Where readiness comes from; checks the store anew. */
export interface HealthOptions {
  readiness(): Promise<Readiness>;
}

/** `/health/live`: the process answers. `/health/ready`: it can do its work, else 503 with the reason. */
export function healthRoutes(options: HealthOptions): Router {
  const router = Router();
  const live: RequestHandler = (_request, response) => {
    response.json({ status: 'live' });
  };
  const ready: RequestHandler = async (_request, response) => {
    const { ready: isReady, phase, reason } = await options.readiness();
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not_ready', phase, reason });
  };
  serveRoute(router, { route: HEALTH_ROUTES.live, pathPrefix: '', handlers: { get: live } });
  serveRoute(router, { route: HEALTH_ROUTES.ready, pathPrefix: '', handlers: { get: ready } });
  return router;
}
