import { Router } from 'express';
import type { Registry } from 'prom-client';

import { refuseMethod } from './refuse-method.js';

/** `/metrics` in the Prometheus text format. */
export function metricsRoutes(registry: Registry): Router {
  const router = Router();
  router.get('/metrics', async (_request, response) => {
    response.setHeader('Content-Type', registry.contentType);
    response.end(await registry.metrics());
  });
  router.all('/metrics', refuseMethod('GET, HEAD'));
  return router;
}
