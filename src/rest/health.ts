import { Router } from 'express';

import type { Readiness } from '../core/base/lifecycle.js';
import { serve, type Handler } from './serve.js';

/** `/health/live`: the process answers. `/health/ready`: it can do its work, else 503 with the reason. */
export function healthRoutes(readiness: () => Promise<Readiness>): Router {
  const router = Router();
  const live: Handler = (_exchange, _request, response) => {
    response.json({ status: 'live' });
  };
  const ready: Handler = async (_exchange, _request, response) => {
    const { ready: isReady, phase, reason } = await readiness();
    response.status(isReady ? 200 : 503).json({ status: isReady ? 'ready' : 'not_ready', phase, reason });
  };
  serve(router, { label: 'other', path: '/health/live', get: live });
  serve(router, { label: 'other', path: '/health/ready', get: ready });
  return router;
}
