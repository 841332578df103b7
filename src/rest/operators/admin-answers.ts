import type { ServerResponse } from 'node:http';

import type { AdminGate } from '../../core/access/operators/admin-gate.js';
import type { Viewer } from '../../core/access/operators/viewer.js';
import { ApiError, publicReason } from '../../core/base/errors/api-error.js';
import type { Lifecycle } from '../../core/base/lifecycle.js';
import type { DatabaseOptions } from '../../core/store/db.js';
import { explainStoreError, type StoreErrorCauses } from '../../core/store/store-errors.js';
import type { Exchange } from '../request-exchange.js';
import type { Answer } from '../respond.js';

/** Who makes the request; `null` for an anonymous client. Throws 403 for what another site may have sent. */
export function viewerOf(exchange: Exchange, gate: AdminGate): Promise<Viewer | null> {
  const { method = 'GET', headers } = exchange.request;
  return gate.identify({ method, headers, address: addressOf(exchange) });
}

/** The same, for the signed-in alone. Throws 401 for anonymous clients. */
export async function requireViewer(exchange: Exchange, gate: AdminGate): Promise<Viewer> {
  const viewer = await viewerOf(exchange, gate);
  if (viewer === null) throw new ApiError(401, 'Sign in first', { errcode: 'M_UNKNOWN_TOKEN' });
  return viewer;
}

/** Network address of the client; `null` when the connection is gone. */
export function addressOf({ address }: Exchange): string | null {
  return address === '' ? null : address;
}

/** What holds for every answer of the operators' side; the page itself replaces the policy. */
const HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];

/** No other site may read, frame or keep anything of the operators' side: what clients get (CORS) is taken back. */
export function setAdminHeaders(response: ServerResponse): void {
  for (const name of response.getHeaderNames()) {
    if (name.startsWith('access-control-')) response.removeHeader(name);
  }
  for (const [name, value] of HEADERS) response.setHeader(name, value);
}

const CODES: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [429, 'RATE_LIMITED'],
  [503, 'NOT_READY'],
]);

/** The code of an error on the operators' side, the same words as in GraphQL's `extensions.code`. */
function adminErrorCode({ reason, status }: Pick<ApiError, 'reason' | 'status'>): string {
  if (reason === 'csrf_blocked') return 'CSRF_BLOCKED';
  return CODES.get(status) ?? (status < 500 ? 'BAD_REQUEST' : 'INTERNAL_SERVER_ERROR');
}

/** Sends an error in the form GraphQL has, which the pages read anyway; or drops the connection when too late. */
export function sendAdminError({ response, requestId }: Answer, error: ApiError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  setAdminHeaders(response);
  const { retryAfterSeconds, allowedMethods } = error;
  const wait = retryAfterSeconds === null ? {} : { retryAfterMs: Math.ceil(retryAfterSeconds) * 1000 };
  const extensions = { code: adminErrorCode(error), requestId, ...wait, ...error.extra };
  if (retryAfterSeconds !== null) response.setHeader('Retry-After', Math.ceil(retryAfterSeconds));
  if (allowedMethods !== null) response.setHeader('Allow', allowedMethods);
  response.setHeader('Error-Reason', publicReason(error));
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.statusCode = error.status;
  response.end(JSON.stringify({ errors: [{ message: error.message, extensions }] }));
}

const PHASES: Readonly<Record<string, StoreErrorCauses>> = {
  starting: {
    error: 'It is being opened.',
    causes: [
      'Migrations are running after an upgrade; they can take minutes.',
      'The database answers slowly.',
    ],
  },
  draining: {
    error: 'The service is stopping.',
    causes: ['It is being restarted.', 'An operator has stopped it.'],
  },
};

const RETRY_AFTER_SECONDS = 2;

/** The 503 for a service that is not ready, with store, error and likely causes; `null` when it is ready. */
export function storeUnavailable(lifecycle: Lifecycle, options: DatabaseOptions): ApiError | null {
  const { ready, phase } = lifecycle.readiness();
  if (ready) return null;
  const { error, causes } = PHASES[phase] ?? explainStoreError(lifecycle.cause);
  // Only the engine: where it is goes into the log.
  const store = options.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  return new ApiError(503, `${store}: ${error}`, {
    reason: 'store_unavailable',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    extra: { store, fault: error, causes },
  });
}
