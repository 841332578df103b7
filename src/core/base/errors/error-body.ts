import type { ApiError } from './api-error.js';

/** The JSON a client gets for an error (Matrix spec, "Standard error response"). */
export function errorBody({ errcode, message, extra }: ApiError): Record<string, string | number | boolean> {
  return { errcode, error: message, ...extra };
}
