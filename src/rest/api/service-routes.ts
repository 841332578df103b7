import type { Route } from './route.js';

function rootRoute(path: string): Route {
  return { label: 'other', folders: [''], path, methods: ['GET', 'HEAD'] };
}

/** Health of the process. */
export const HEALTH_ROUTES = { live: rootRoute('/health/live'), ready: rootRoute('/health/ready') };

/** Metrics for Prometheus. */
export const METRICS_ROUTES = { metrics: rootRoute('/metrics') };
