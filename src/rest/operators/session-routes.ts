import type { IncomingMessage } from 'node:http';

import { Router } from 'express';
import { z } from 'zod';

import type { AdminGate } from '../../core/access/operators/admin-gate.js';
import type { SameOrigin } from '../../core/access/operators/same-origin.js';
import { endedCookie, readSessionCookie, sessionCookie } from '../../core/access/operators/session-cookie.js';
import type { SessionStore } from '../../core/access/operators/session-store.js';
import type { Credential, SignIn } from '../../core/access/operators/sign-in.js';
import { ApiError, badJson } from '../../core/base/errors/api-error.js';
import { parseStrictJson } from '../../core/base/json/strict-json.js';
import { readBody } from '../read-body.js';
import { serve, type Handler } from '../serve.js';
import { addressOf, viewerOf } from './admin-answers.js';

export interface SessionRoutesOptions {
  gate: AdminGate;
  sameOrigin: SameOrigin;
  signIn: SignIn;
  sessions: SessionStore;
  accounts: ReadonlyMap<string, unknown>;
  /** What anybody may know before signing in. */
  about: {
    serverName: string;
    version: string;
    /** Where peers and clients find the service: `/_svc` or `/_matrix`. */
    pathPrefix: string;
    /** The address before that. */
    publicUrl: string;
    environment: { label: string } | null;
  };
}

const secret = z.string().min(1).max(4096);

/** A secret by its name, for people who write it by hand. */
const named = (name: string, way: Credential['way']) =>
  z.strictObject({ [name]: secret }).transform((given): Credential => ({ way, secret: given[name] ?? '' }));

/** What signs an operator in; the pages send way and secret. */
const CREDENTIAL = z.union([
  named('code', 'code'),
  named('token', 'token'),
  named('homeserver_token', 'homeserver'),
  z.strictObject({ way: z.enum(['code', 'token', 'homeserver']), secret }),
]);

const MAX_BODY_BYTES = 8 * 1024;

/** `GET`, `POST` and `DELETE …/session`: who is signed in, signing in, signing out. */
export function sessionRoutes(options: SessionRoutesOptions): Router {
  const router = Router();
  const { gate, sameOrigin, sessions, signIn } = options;
  const get: Handler = async (exchange, _request, response) => {
    const viewer = await viewerOf(exchange, gate);
    const ways = ['code', 'token', ...(options.accounts.size > 0 ? ['homeserver'] : [])];
    response.json({ signedIn: viewer !== null, ways, ...options.about });
  };
  const post: Handler = async (exchange, request, response) => {
    sameOrigin.check(request);
    const credential = readCredential(await readBody(exchange, MAX_BODY_BYTES));
    const made = await signIn.signIn(credential, {
      address: addressOf(exchange),
      userAgent: request.headers['user-agent'] ?? null,
      requestId: exchange.requestId,
      oldSecret: readSessionCookie(request.headers),
    });
    response.setHeader('Set-Cookie', sessionCookie(made.secret, isSecure(request, sameOrigin)));
    response.json({ signedIn: true });
  };
  const signOut: Handler = async (exchange, request, response) => {
    sameOrigin.check(request);
    const held = readSessionCookie(request.headers);
    const session = held === null ? null : await sessions.find(held);
    const { requestId } = exchange;
    if (session !== null) await signIn.signOut(session, { address: addressOf(exchange), requestId });
    response.setHeader('Set-Cookie', endedCookie(isSecure(request, sameOrigin)));
    response.status(204).end();
  };
  serve(router, { label: 'admin', path: '/session', get, post, delete: signOut });
  return router;
}

function readCredential(body: Buffer): Credential {
  let value: unknown;
  try {
    value = parseStrictJson(body);
  } catch {
    // The parser's message quotes the text, which holds a secret.
    throw new ApiError(400, 'Content not JSON.', { errcode: 'M_NOT_JSON' });
  }
  const read = CREDENTIAL.safeParse(value);
  if (read.success) return read.data;
  throw badJson('Expected {"code": …}, {"token": …} or {"homeserver_token": …}');
}

/** Over plain http, which only this machine's own names get, a cookie cannot be kept to https. */
function isSecure(request: IncomingMessage, sameOrigin: SameOrigin): boolean {
  return sameOrigin.originOf(request.headers)?.startsWith('http:') !== true;
}
