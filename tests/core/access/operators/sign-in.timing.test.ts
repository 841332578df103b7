import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { AdminGate } from '../../../../src/core/access/operators/admin-gate.js';
import { SameOrigin } from '../../../../src/core/access/operators/same-origin.js';
import { SessionStore } from '../../../../src/core/access/operators/session-store.js';
import { SignIn, type Credential, type SignInOrigin } from '../../../../src/core/access/operators/sign-in.js';
import { SignInCodes } from '../../../../src/core/access/operators/sign-in-codes.js';
import { StoredAuditLog } from '../../../../src/core/access/operators/stored-audit-log.js';
import type { Role } from '../../../../src/core/access/operators/viewer.js';
import { AccessTokenStore, type TokenScope } from '../../../../src/core/access/users/access-token-store.js';
import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { ApiError, tooManyTokens } from '../../../../src/core/base/errors/api-error.js';
import { homeserverClient, startHomeserver } from '../../../support/origins/homeserver.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { openTestDatabase } from './access-kit.js';
import { RateLimit } from '../../../../src/core/base/limits/rate-limit.js';
import { FairQueue } from '../../../../src/core/base/fair-queue.js';
import { setUp } from '../../../support/set-up.js';

const ACCOUNTS = new Map<string, Role>([
  ['@admin:hs', 'admin'],
  ['@viewer:hs', 'viewer'],
]);
const HOST = { host: 'localhost:1' };

const reads = new FairQueue({ maxRunning: 4, maxWaiting: 10, refused: tooManyTokens });

describe('SignIn', () => {
  const store = setUp(() => openTestDatabase('sqlite'));
  let homeserver: Awaited<ReturnType<typeof startHomeserver>>;
  const clock = new ManualClock();
  let parts: ReturnType<typeof createParts>;
  let signIn: SignIn;

  function createParts(accounts: ReadonlyMap<string, Role>) {
    const { database } = store;
    return {
      accounts,
      tokens: new AccessTokenStore(database, clock),
      sessions: new SessionStore(
        { database, clock, logger: createLogger({ level: 'silent' }) },
        { absoluteMs: 12 * HOUR_MS, idleMs: HOUR_MS },
      ),
      codes: new SignInCodes(database, clock),
      auditLog: new StoredAuditLog(database, clock),
    };
  }

  beforeAll(async () => {
    homeserver = await startHomeserver({
      'admin-token': { user_id: '@admin:hs' },
      'viewer-token': { user_id: '@viewer:hs' },
      'guest-token': { user_id: '@viewer:hs', is_guest: true },
      'other-token': { user_id: '@other:hs' },
    });
  });
  beforeEach(() => {
    homeserver.state.fail = false;
    homeserver.asked.length = 0;
    parts = createParts(ACCOUNTS);
    signIn = new SignIn({
      ...parts,
      homeserver: homeserverClient(homeserver.url),
      tries: tries(),
      refusalMs: 0,
    });
  });
  afterAll(() => homeserver.close());

  const tries = () =>
    new RateLimit({ burst: 5, intervalMs: 60_000 }, { clock, refusal: 'Too many', bound: 'sign_in' });
  const sameOrigin = new SameOrigin({ publicUrl: null, tls: false, behindProxy: false });
  let address = 0;
  const origin = (change: Partial<SignInOrigin> = {}): SignInOrigin => ({
    address: `192.0.2.${(address += 1)}`,
    userAgent: 'Browser/1',
    requestId: 'r',
    oldSecret: null,
    ...change,
  });
  const refusal = (credential: Credential, from = origin()): Promise<ApiError> =>
    signIn.signIn(credential, from).then(
      () => Promise.reject(new Error('expected a refusal')),
      (error: unknown) => error as ApiError,
    );
  const tokenOf = async (...scopes: TokenScope[]) =>
    (
      await parts.tokens.create({
        userId: scopes.includes('preview') ? '@a:b' : null,
        label: 'script',
        expiresTs: null,
        scopes,
      })
    ).token;
  /** Who a session's cookie stands for. */
  const viewerOf = (secret: string) =>
    new AdminGate(sameOrigin, { ...parts, reads }).identify({
      method: 'GET',
      headers: { ...HOST, cookie: `vidimus_session=${secret}` },
      address: null,
    });

  it.each<[TokenScope, Role]>([
    ['admin_write', 'admin'],
    ['admin_read', 'viewer'],
  ])('with a token of the scope %s makes a session of the role %s', async (scope, role) => {
    const token = await tokenOf(scope);

    const { secret } = await signIn.signIn({ way: 'token', secret: token }, origin());

    expect(await viewerOf(secret)).toMatchObject({ name: 'script', role, method: 'token' });
  });

  it('a session of an account ends when the account is taken out of the settings, and follows its role', async () => {
    const { secret } = await signIn.signIn({ way: 'homeserver', secret: 'admin-token' }, origin());

    parts = createParts(new Map([['@admin:hs', 'viewer']]));
    expect(await viewerOf(secret)).toMatchObject({ role: 'viewer' });
    parts = createParts(new Map([['@new:hs', 'admin']]));
    expect(await viewerOf(secret)).toBeNull();
  });

  it.each<[string, () => Promise<Credential>]>([
    ['an unknown code', async () => ({ way: 'code', secret: 'AAAA-AAAA-AAAA' })],
    [
      'a used code',
      async () => {
        const { code } = await parts.codes.create('admin');
        await parts.codes.use(code);
        return { way: 'code', secret: code };
      },
    ],
    ['an unknown token', async () => ({ way: 'token', secret: 'vid_x' })],
    ['a token for previews', async () => ({ way: 'token', secret: await tokenOf('preview', 'metrics') })],
    ['a token of somebody else', async () => ({ way: 'homeserver', secret: 'nobody' })],
    ['an account that is no operator', async () => ({ way: 'homeserver', secret: 'other-token' })],
    ['a guest', async () => ({ way: 'homeserver', secret: 'guest-token' })],
    [
      'a code given as a token',
      async () => ({ way: 'token', secret: (await parts.codes.create('admin')).code }),
    ],
  ])('refuses %s in the same words as everything else', async (_what, make) => {
    const error = await refusal(await make());

    expect(error).toMatchObject({
      status: 401,
      reason: 'sign_in_refused',
      message: 'Sign-in failed. The code or token may be wrong, used or expired',
      detail: null,
    });
  });

  it('takes as long to refuse one cause as another', async () => {
    const slow = new SignIn({ ...parts, homeserver: null, tries: tries(), refusalMs: 300 });
    const times: number[] = [];
    for (const credential of [
      { way: 'code', secret: 'x' },
      { way: 'token', secret: 'x' },
      { way: 'token', secret: await tokenOf('metrics') },
      { way: 'homeserver', secret: 'other-token' },
    ] as const) {
      const startedMs = performance.now();
      await slow.signIn(credential, origin()).catch(() => undefined);
      times.push(performance.now() - startedMs);
    }

    // Timers of Node may be early by a millisecond and what they round.
    for (const ms of times) expect(ms).toBeGreaterThanOrEqual(298);
  });

  it('counts no right one, and a network of IPv6 as one address', async () => {
    const [one, two] = [origin({ address: '2001:db8::1' }), origin({ address: '2001:db8::2' })];
    for (let count = 0; count < 6; count += 1)
      await signIn.signIn({ way: 'homeserver', secret: 'admin-token' }, one);
    for (let count = 0; count < 5; count += 1) await refusal({ way: 'code', secret: 'wrong' }, one);

    expect(await refusal({ way: 'code', secret: 'wrong' }, two)).toMatchObject({ status: 429 });
  });

  it('makes a new secret at every sign-in and ends the session the browser had', async () => {
    const first = await signIn.signIn({ way: 'homeserver', secret: 'admin-token' }, origin());
    const second = await signIn.signIn(
      { way: 'homeserver', secret: 'admin-token' },
      origin({ oldSecret: first.secret }),
    );

    expect(second.secret).not.toBe(first.secret);
    expect(await viewerOf(first.secret)).toBeNull();
    expect(await viewerOf(second.secret)).not.toBeNull();
  });

  it('leaves a line in the audit table for signing in and out, without any secret', async () => {
    const { code } = await parts.codes.create('admin');
    const { session, secret } = await signIn.signIn(
      { way: 'code', secret: code },
      origin({ address: '2001:db8::7', requestId: 'in' }),
    );
    await signIn.signOut(session, { address: '2001:db8::7', requestId: 'out' });

    const { rows } = await parts.auditLog.page({}, { direction: 'forward', size: 2, cursor: null });
    expect(rows).toMatchObject([
      {
        action: 'signOut',
        requestId: 'out',
        targetType: 'AdminSession',
        targetId: session.id,
        outcome: 'ok',
      },
      {
        action: 'signIn',
        requestId: 'in',
        actor: 'operator',
        role: 'admin',
        method: 'code',
        address: '2001:db8::7',
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(code);
  });
});
