import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { ApiError, internalError, storeUnavailable } from '../core/errors.js';
import { isStoreUnavailable } from '../core/db/store-errors.js';
import { redactTarget } from '../core/logger.js';
import type { Logger } from '../core/logger.js';
import type { Metrics } from '../core/metrics.js';
import type { Answer } from './respond.js';
import { sendError } from './respond.js';

/** One request and its answer on their way through the server. */
export interface Exchange extends Answer {
  readonly request: IncomingMessage;
  /** Route name for metrics and logs; handlers set it once they know. */
  route: string;
}

/** Which answered requests get a log line; setting log.requests. */
export type RequestLogging = 'all' | 'errors' | 'none';

/** What exchanges are opened with. */
export interface ExchangeOptions {
  logger: Logger;
  metrics: Metrics;
  requestLogging: RequestLogging;
  /** Header that carries a request id from the outside, lower case; `null` when none is taken over. */
  requestIdHeader: string | null;
  /** Whether a proxy in front states the client's address in X-Forwarded-For. */
  xForwarded: boolean;
}

const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;

/** Opens an exchange: gives it an id, and logs and counts it when its answer has been sent. */
export function openExchange(
  request: IncomingMessage,
  response: ServerResponse,
  options: ExchangeOptions,
): Exchange {
  const startedNs = process.hrtime.bigint();
  const exchange: Exchange = { request, response, requestId: requestIdOf(request, options), route: 'other' };
  response.once('close', () => {
    const seconds = Number(process.hrtime.bigint() - startedNs) / 1e9;
    const method = request.method ?? 'GET';
    const code = response.headersSent ? response.statusCode : 499;
    options.metrics.httpRequests.inc({ route: exchange.route, method: knownMethod(method), code });
    options.metrics.httpSeconds.observe({ route: exchange.route }, seconds);
    if (options.requestLogging === 'all' && code < 400) logRequest(exchange, { code, seconds, options });
  });
  return exchange;
}

/** Answers with an error and logs it: 4xx at info, 5xx at error with the cause. Never rejects. */
export function failExchange(exchange: Exchange, error: unknown, options: ExchangeOptions): void {
  const failure = toApiError(error);
  const line = {
    ...requestLine(exchange, options),
    code: failure.status,
    errcode: failure.errcode,
    reason: failure.reason ?? undefined,
    error: failure.message,
  };
  if (failure.reason === 'client_gone') options.logger.debug(line, 'client went away');
  else if (failure.status >= 500) options.logger.error({ ...line, err: failure.cause }, 'request failed');
  else if (options.requestLogging !== 'none') options.logger.info(line, 'request refused');
  sendError(exchange, failure);
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return isStoreUnavailable(error) ? storeUnavailable(error) : internalError(error);
}

function logRequest(
  exchange: Exchange,
  { code, seconds, options }: { code: number; seconds: number; options: ExchangeOptions },
): void {
  options.logger.info(
    { ...requestLine(exchange, options), code, ms: Math.round(seconds * 1e6) / 1000 },
    'request',
  );
}

function requestLine(exchange: Exchange, options: ExchangeOptions): Record<string, unknown> {
  const { request } = exchange;
  return {
    request_id: exchange.requestId,
    method: request.method,
    target: redactTarget(request.url ?? ''),
    client: clientAddress(request, options.xForwarded),
  };
}

/** The peer's address, or the one the nearest proxy states when the listener is told to trust it. */
export function clientAddress(request: IncomingMessage, xForwarded: boolean): string {
  const direct = request.socket.remoteAddress ?? '';
  if (!xForwarded) return direct;
  const header = request.headers['x-forwarded-for'];
  const stated = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').at(-1)?.trim() ?? '';
  return stated === '' ? direct : stated;
}

function requestIdOf(request: IncomingMessage, options: ExchangeOptions): string {
  const stated = options.requestIdHeader === null ? undefined : request.headers[options.requestIdHeader];
  if (typeof stated === 'string' && REQUEST_ID.test(stated)) return stated;
  return randomBytes(9).toString('base64url');
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']);

/** Methods are foreign text too; anything unusual is one label. */
function knownMethod(method: string): string {
  return METHODS.has(method) ? method : 'other';
}
