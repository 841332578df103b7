import type { ErrorRequestHandler, Response } from 'express';

/** A handler of errors for Express, which tells one by its four parameters. */
export function errorHandler(handle: (error: unknown, response: Response) => void): ErrorRequestHandler {
  // oxlint-disable-next-line eslint/max-params -- see above
  return (error: unknown, _request, response, _next) => handle(error, response);
}
