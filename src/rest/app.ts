import express, { type ErrorRequestHandler, type Express, type Router } from 'express';

import { ApiError, invalidParam } from '../core/base/errors/api-error.js';
import { exchangeOf } from './request-exchange.js';
import { CLIENT_HEADERS } from './respond.js';
import { refuseOtherMethods } from './serve.js';

/** The Express application of one listener: routers in order, then 404 or 405, then the one error handler. */
export function createApp(routers: readonly Router[]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  for (const router of routers) app.use(router);
  app.use(refuseOtherMethods, () => {
    throw new ApiError(404, 'Unrecognized request', { errcode: 'M_UNRECOGNIZED' });
  });
  // Express tells a handler of errors by its four parameters, and reports a path it cannot decode as a URIError.
  // oxlint-disable-next-line eslint/max-params -- see above
  const handleError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const isBadPath = error instanceof URIError;
    exchangeOf(response).fail(
      isBadPath ? invalidParam('The path contains a broken percent-encoding') : error,
    );
  };
  app.use(handleError);
  return app;
}

/** Sets the headers of every answer to clients, for routes that come after it and do not write the whole head. */
export function clientHeaders(): Router {
  return express.Router().use((_request, response, next) => {
    for (const [name, value] of CLIENT_HEADERS) response.setHeader(name, value);
    response.setHeader('X-Request-Id', exchangeOf(response).requestId);
    next();
  });
}
