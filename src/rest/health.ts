import { Router } from 'express';

import type { Readiness } from '../core/base/lifecycle.js';
import { refuseMethod } from './refuse-method.js';

/** Where readiness comes from; checks the store anew. */
export interface HealthOptions {
  readiness(): Promise<Readiness>;
}

/** `/health/live`: the process answers. `/health/ready`: it can do its work, else 503 with the reason. */
export function healthRoutes(options: HealthOptions): Router {
  const router = Router();
  router.get('/health/live', (_request, response) => {
    response.json({ status: 'live' });
  });
  router.get('/health/ready', async (_request, response) => {
    const { ready, phase, reason } = await options.readiness();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'not_ready', phase, reason });
  });
  router.all(['/health/live', '/health/ready'], refuseMethod('GET, HEAD'));
  return router;
}
