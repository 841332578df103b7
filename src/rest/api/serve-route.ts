import type { RequestHandler, Router } from 'express';

import { methodNotAllowed } from '../../core/base/errors/api-error.js';
import { allowedMethods, pathsOf, type OperationMethod, type Route } from './route.js';

/** A route in Express, with a handler for each of its operations. */
export interface ServedRoute<M extends OperationMethod> {
  route: Route<M>;
  /** What stands before its paths; empty where the router is mounted there. */
  pathPrefix: string;
  handlers: Readonly<Record<M, RequestHandler>>;
  /** Answers OPTIONS, where the route has it. */
  preflight?: RequestHandler;
}

/** Serves a route: its operations, and 405 with `Allow` for every other method. */
export function serveRoute<M extends OperationMethod>(router: Router, served: ServedRoute<M>): void {
  const { route, pathPrefix, preflight } = served;
  const handlers: Partial<Record<OperationMethod, RequestHandler>> = served.handlers;
  const paths = pathsOf(route).map((path) => `${pathPrefix}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  if (preflight !== undefined) router.options(paths, preflight);
  if (handlers.get !== undefined) router.get(paths, handlers.get);
  if (handlers.post !== undefined) router.post(paths, handlers.post);
  if (handlers.delete !== undefined) router.delete(paths, handlers.delete);
  router.all(paths, () => {
    throw methodNotAllowed(allowedMethods(route));
  });
}
