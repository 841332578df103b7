import express, { type Express, type Response, type Router } from 'express';

import { errorHandler } from './error-handler.js';
import { invalidParam, unrecognizedRequest } from '../core/base/errors/api-error.js';
import type { Exchange } from './request-exchange.js';
import { CLIENT_HEADERS } from './respond.js';

/** Finds the exchange a request was opened with. */
export type ExchangeOf = (response: Response) => Exchange;

/** What an Express application of one listener serves. */
export interface AppOptions {
  routers: readonly Router[];
  exchangeOf: ExchangeOf;
  /** Answers an error; the one place where errors become answers. */
  fail(exchange: Exchange, error: unknown): void;
}

/** Express for everything but the key routes: routers in order, then 404, then the one error handler. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.use((_request, response, next) => {
    for (const [name, value] of CLIENT_HEADERS) response.setHeader(name, value);
    response.setHeader('X-Request-Id', options.exchangeOf(response).requestId);
    next();
  });
  for (const router of options.routers) app.use(router);
  app.use(() => {
    throw unrecognizedRequest();
  });
  app.use(
    errorHandler((error, response) => {
      const failure = isBadPath(error) ? invalidParam('The path contains a broken percent-encoding') : error;
      options.fail(options.exchangeOf(response), failure);
    }),
  );
  return app;
}

/** Express reports a path it cannot decode as a URIError with status 400. */
function isBadPath(error: unknown): boolean {
  return error instanceof URIError;
}
