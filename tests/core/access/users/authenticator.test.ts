import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { AccessTokenStore } from '../../../../src/core/access/users/access-token-store.js';
import {
  Authenticator,
  refuseGuest,
  type AuthRequest,
} from '../../../../src/core/access/users/authenticator.js';
import { openDatabase, type Database } from '../../../../src/core/store/db.js';
import { tooManyTokens, type ApiError } from '../../../../src/core/base/errors/api-error.js';
import { FairQueue } from '../../../../src/core/base/fair-queue.js';
import { createLogger } from '../../../../src/core/base/logger.js';
import { createTestDatabase, type TestDatabase } from '../../../support/store/databases.js';
import { homeserverClient, startHomeserver } from '../../../support/origins/homeserver.js';
import { ManualClock } from '../../../support/manual-clock.js';

const CLIENT = 'ip:192.0.2.1';
const reads = new FairQueue({ maxRunning: 4, maxWaiting: 10, refused: tooManyTokens });

function bearer(token: string, rest: Partial<AuthRequest> = {}): AuthRequest {
  return {
    authorization: [`Bearer ${token}`],
    queryToken: null,
    asUserId: null,
    client: () => CLIENT,
    ...rest,
  };
}

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  return promise.then(
    () => Promise.reject(new Error('expected a refusal')),
    (error: unknown) => error as ApiError,
  );
}

describe('Authenticator', () => {
  let files: TestDatabase;
  let database: Database;
  let homeserver: Awaited<ReturnType<typeof startHomeserver>>;
  const clock = new ManualClock();
  let tokens: AccessTokenStore;
  let authenticator: Authenticator;

  beforeAll(async () => {
    files = await createTestDatabase('sqlite');
    database = await openDatabase(files.options, createLogger({ level: 'silent' }));
    homeserver = await startHomeserver({
      good: { user_id: '@a:hs' },
      guest: { user_id: '@g:hs', is_guest: true },
    });
    tokens = new AccessTokenStore(database, clock);
  });

  beforeEach(() => {
    authenticator = new Authenticator({
      tokens,
      reads,
      homeserver: homeserverClient(homeserver.url),
      clock,
    });
    homeserver.asked.length = 0;
    homeserver.state.fail = false;
    homeserver.state.says = null;
  });

  afterAll(async () => {
    await homeserver.close();
    await database.close();
    await files.cleanup();
  });

  it.each([
    ['nothing', { authorization: [], queryToken: null }, 'Missing access token'],
    ['another scheme', { authorization: ['Basic x'], queryToken: null }, 'Invalid Authorization header.'],
    ['a scheme alone', { authorization: ['Bearer '], queryToken: null }, 'Invalid Authorization header.'],
    ['two words', { authorization: ['Bearer x y'], queryToken: null }, 'Invalid Authorization header.'],
    [
      'two headers',
      { authorization: ['Bearer x', 'Bearer y'], queryToken: null },
      'Too many Authorization headers.',
    ],
    [
      'header and query',
      { authorization: ['Bearer x'], queryToken: 'y' },
      'Mixing Authorization headers and access_token query parameters.',
    ],
  ])('refuses %s with 401 M_MISSING_TOKEN', async (_what, source, message) => {
    const error = await failure(
      authenticator.authenticate({ ...source, asUserId: null, client: () => CLIENT }),
    );

    expect(error).toMatchObject({ status: 401, errcode: 'M_MISSING_TOKEN', message });
  });

  it('accepts a token of our own, by header and by query, without asking the homeserver', async () => {
    const { token } = await tokens.create({ userId: '@own:x', label: '', expiresTs: null });

    const byHeader = await authenticator.authenticate(bearer(token));
    const byQuery = await authenticator.authenticate({
      authorization: [],
      queryToken: token,
      asUserId: null,
      client: () => CLIENT,
    });

    expect([byHeader.userId, byQuery.userId]).toEqual(['@own:x', '@own:x']);
    expect(homeserver.asked).toEqual([]);
  });

  it('stops accepting a token that another process revoked, or that expired, within five seconds', async () => {
    const revoked = await tokens.create({ userId: '@own:x', label: '', expiresTs: null });
    const expired = await tokens.create({ userId: '@own:x', label: '', expiresTs: clock.now() + 1000 });
    await authenticator.authenticate(bearer(revoked.token));
    await authenticator.authenticate(bearer(expired.token));

    await new AccessTokenStore(database, clock).revoke(revoked.info.id);
    clock.advance(5001);

    for (const { token } of [revoked, expired]) {
      expect(await failure(authenticator.authenticate(bearer(token)))).toMatchObject({
        status: 401,
        errcode: 'M_UNKNOWN_TOKEN',
        extra: { soft_logout: false },
      });
    }
  });

  it('stops accepting a token at once when it is revoked here', async () => {
    const { token, info } = await tokens.create({ userId: '@own:x', label: '', expiresTs: null });
    await authenticator.authenticate(bearer(token));

    await tokens.revoke(info.id);

    expect(await failure(authenticator.authenticate(bearer(token)))).toMatchObject({ status: 401 });
  });

  it('asks the homeserver once a minute for a good token', async () => {
    for (let count = 0; count < 3; count += 1) await authenticator.authenticate(bearer('good'));
    clock.advance(60_000);
    await authenticator.authenticate(bearer('good'));
    const within = homeserver.asked.length;
    clock.advance(1);
    await authenticator.authenticate(bearer('good'));

    expect([within, homeserver.asked.length]).toEqual([1, 2]);
    expect(homeserver.asked[0]).toBe('/_matrix/client/v3/account/whoami Bearer good');
  });

  it('asks once for many simultaneous requests', async () => {
    await Promise.all(Array.from({ length: 20 }, () => authenticator.authenticate(bearer('good'))));

    expect(homeserver.asked).toHaveLength(1);
  });

  it('passes user_id of application services on and keeps the outcomes apart', async () => {
    await authenticator.authenticate(bearer('good', { asUserId: '@b:hs' }));
    await authenticator.authenticate(bearer('good'));

    expect(homeserver.asked.map((line) => line.split(' ')[0])).toEqual([
      '/_matrix/client/v3/account/whoami?user_id=%40b%3Ahs',
      '/_matrix/client/v3/account/whoami',
    ]);
  });

  it('answers 503 with Retry-After while the homeserver is away, and recovers at once', async () => {
    homeserver.state.fail = true;
    const error = await failure(authenticator.authenticate(bearer('good')));
    homeserver.state.fail = false;

    const user = await authenticator.authenticate(bearer('good'));

    expect(error).toMatchObject({ status: 503, retryAfterSeconds: 5 });
    expect(user.userId).toBe('@a:hs');
  });

  it.each([
    ['M_FORBIDDEN', 403, {}],
    ['M_USER_DEACTIVATED', 403, {}],
    ['M_USER_LOCKED', 401, { soft_logout: true }],
  ])('passes on %s, which must not log the client out', async (errcode, status, extra) => {
    homeserver.state.says = {
      status,
      body: JSON.stringify({ errcode, error: 'not you', soft_logout: true }),
    };
    const error = await failure(authenticator.authenticate(bearer('good')));
    await failure(authenticator.authenticate(bearer('good')));

    expect(error).toMatchObject({ status, errcode, message: 'not you', extra });
    expect(homeserver.asked).toHaveLength(1);
  });

  it.each([
    ['a refusal of a proxy', 403, '<html>Forbidden</html>'],
    ['a header lost on the way', 401, '{"errcode":"M_MISSING_TOKEN","error":"Missing access token"}'],
    ['nobody', 200, '{}'],
    ['more than is read', 200, `{"user_id":"@a:hs"}${' '.repeat(70_000)}`],
  ])('answers 503 for %s, and asks again', async (_what, status, body) => {
    homeserver.state.says = { status, body };
    const error = await failure(authenticator.authenticate(bearer('good')));
    homeserver.state.says = null;

    expect(error).toMatchObject({ status: 503, errcode: 'M_UNKNOWN', retryAfterSeconds: 5 });
    expect((await authenticator.authenticate(bearer('good'))).userId).toBe('@a:hs');
  });

  it('asks nobody about what can be no token, and passes a refusal on', async () => {
    for (const token of ['\n1', '\u0100', 'x'.repeat(5000)]) {
      const error = await failure(
        authenticator.authenticate({ ...bearer(''), authorization: [], queryToken: token }),
      );
      expect(error).toMatchObject({ status: 401, errcode: 'M_UNKNOWN_TOKEN' });
    }
    const asUserId = `@${'x'.repeat(600)}:hs`;
    const error = await failure(authenticator.authenticate(bearer('good', { asUserId })));
    expect(error).toMatchObject({ status: 403, errcode: 'M_FORBIDDEN' });
    expect(homeserver.asked).toEqual([]);
    homeserver.state.says = {
      status: 403,
      body: '{"errcode":"ORG_MATRIX_EXPIRED_ACCOUNT","error":"expired"}',
    };
    const expired = await failure(authenticator.authenticate(bearer('expired')));
    expect(expired).toMatchObject({ status: 403, errcode: 'M_FORBIDDEN', message: 'expired' });
  });

  it('knows guests, whom previews refuse', async () => {
    const user = await authenticator.authenticate(bearer('guest'));

    expect(user.isGuest).toBe(true);
    expect(() => refuseGuest(user)).toThrow('Guest access not allowed');
  });
});
