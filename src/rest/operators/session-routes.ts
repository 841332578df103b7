import type { IncomingMessage } from 'node:http';

import { Router, type RequestHandler } from 'express';

import type { AdminAccounts } from '../../core/access/operators/admin-accounts.js';
import type { SameOrigin } from '../../core/access/operators/same-origin.js';
import { endedCookie, readSessionCookie, sessionCookie } from '../../core/access/operators/session-cookie.js';
import type { SessionStore } from '../../core/access/operators/session-store.js';
import type { Credential, SignIn } from '../../core/access/operators/sign-in.js';
import { badJson, notJson } from '../../core/base/errors/api-error.js';
import { parseStrictJson } from '../../core/base/json/strict-json.js';
import { CREDENTIAL } from '../api/credential.js';
import { OPERATOR_ROUTES } from '../api/operator-routes.js';
import { serveRoute } from '../api/serve-route.js';
import type { ExchangeOf } from '../app.js';
import { readBody } from '../read-body.js';
import { addressOf, viewerOf, type AdminRequestOptions } from './admin-request.js';

/** What the session's routes are built from. */
export interface SessionRoutesOptions extends AdminRequestOptions {
  sameOrigin: SameOrigin;
  signIn: SignIn;
  sessions: SessionStore;
  accounts: AdminAccounts;
  /** What anybody may know before signing in. */
  about: {
    serverName: string;
    version: string;
    /** Where peers and clients find the service: `/_svc` or `/_matrix`. */
    pathPrefix: string;
    /** The address before that. */
    publicUrl: string;
    environment: { label: string; color: string } | null;
  };
  exchangeOf: ExchangeOf;
}

const MAX_BODY_BYTES = 8 * 1024;

/** `GET`, `POST` and `DELETE …/session`: who is signed in, signing in, signing out. */
export function sessionRoutes(options: SessionRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  const get: RequestHandler = async (request, response) => {
    const viewer = await viewerOf(request, options);
    const ways = ['code', 'token', ...(options.accounts.isEnabled ? ['homeserver'] : [])];
    response.json({ signedIn: viewer !== null, ways, ...options.about });
  };
  const post: RequestHandler = async (request, response) => {
    const { sameOrigin, signIn } = options;
    sameOrigin.check(request);
    const credential = readCredential(await readBody(options.exchangeOf(response), MAX_BODY_BYTES));
    const made = await signIn.signIn(credential, {
      address: addressOf(request, options),
      userAgent: request.headers['user-agent'] ?? null,
      requestId: options.exchangeOf(response).requestId,
      oldSecret: readSessionCookie(request.headers),
    });
    response.setHeader('Set-Cookie', sessionCookie(made.secret, isSecure(request, sameOrigin)));
    response.json({ signedIn: true });
  };
  const signOut: RequestHandler = async (request, response) => {
    options.sameOrigin.check(request);
    const held = readSessionCookie(request.headers);
    const session = held === null ? null : await options.sessions.find(held);
    const { requestId } = options.exchangeOf(response);
    if (session !== null) {
      await options.signIn.signOut(session, { address: addressOf(request, options), requestId });
    }
    response.setHeader('Set-Cookie', endedCookie(isSecure(request, options.sameOrigin)));
    response.status(204).end();
  };
  const handlers = { get, post, delete: signOut };
  serveRoute(router, { route: OPERATOR_ROUTES.session, pathPrefix: '', handlers });
  return router;
}

function readCredential(body: Buffer): Credential {
  let value: unknown;
  try {
    value = parseStrictJson(body);
  } catch {
    // The parser's message quotes the text, which holds a secret.
    throw notJson();
  }
  const read = CREDENTIAL.safeParse(value);
  if (read.success) return read.data;
  throw badJson('Wanted: {"code": …}, {"token": …} or {"homeserver_token": …}');
}

/** Over plain http, which only this machine's own names get, a cookie cannot be kept to https. */
function isSecure(request: IncomingMessage, sameOrigin: SameOrigin): boolean {
  return sameOrigin.originOf(request.headers)?.startsWith('http:') !== true;
}
