import type { RequestHandler, Router } from 'express';

import { methodNotAllowed } from '../../core/base/errors/api-error.js';
import { allowedMethods, pathsOf, type Route } from './route.js';

/** A route in Express, with a handler for each of its operations. */
export interface ServedRoute {
  route: Route;
  /** What stands before its paths; empty where the router is mounted there. */
  pathPrefix: string;
  handlers: Readonly<Partial<Record<'get' | 'post' | 'delete', RequestHandler>>>;
  /** Answers OPTIONS, where the route has it. */
  preflight?: RequestHandler;
}

/** Serves a route: its operations, and 405 with `Allow` for every other method. */
export function serveRoute(router: Router, served: ServedRoute): void {
  const { route, pathPrefix, handlers, preflight } = served;
  const paths = pathsOf(route).map((path) => `${pathPrefix}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  if (preflight !== undefined) router.options(paths, preflight);
  if (handlers.get !== undefined) router.get(paths, handlers.get);
  if (handlers.post !== undefined) router.post(paths, handlers.post);
  if (handlers.delete !== undefined) router.delete(paths, handlers.delete);
  router.all(paths, () => {
    throw methodNotAllowed(allowedMethods(route));
  });
}
