import type { RequestHandler } from 'express';

import { methodNotAllowed } from '../core/base/errors/api-error.js';

/** Refuses every method that a path does not serve with 405 and `Allow`. */
export function refuseMethod(allowed: string): RequestHandler {
  return () => {
    throw methodNotAllowed(allowed);
  };
}
