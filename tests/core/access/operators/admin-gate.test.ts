import { beforeAll, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { AdminGate } from '../../../../src/core/access/operators/admin-gate.js';
import { SameOrigin } from '../../../../src/core/access/operators/same-origin.js';
import { SessionStore } from '../../../../src/core/access/operators/session-store.js';
import { SignInCodes } from '../../../../src/core/access/operators/sign-in-codes.js';
import { AccessTokenStore } from '../../../../src/core/access/users/access-token-store.js';
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/base/clock.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { openTestDatabase } from './access-kit.js';
import { FairQueue } from '../../../../src/core/base/fair-queue.js';
import { tooManyTokens } from '../../../../src/core/base/errors/api-error.js';
import { setUp } from '../../../support/set-up.js';

const reads = new FairQueue({ maxRunning: 4, maxWaiting: 10, refused: tooManyTokens });

describe('AdminGate', () => {
  const store = setUp(() => openTestDatabase('sqlite'));
  let tokens: AccessTokenStore;
  let sessions: SessionStore;
  let codes: SignInCodes;
  let secret: string;
  const clock = new ManualClock();

  beforeAll(async () => {
    tokens = new AccessTokenStore(store.database, clock);
    codes = new SignInCodes(store.database, clock);
    sessions = new SessionStore(
      { database: store.database, clock, logger: createLogger({ level: 'silent' }) },
      { absoluteMs: 12 * HOUR_MS, idleMs: HOUR_MS },
    );
    const who = { actor: 'operator', role: 'admin', method: 'code', address: null, userAgent: null } as const;
    ({ secret } = await sessions.create({ ...who, accessTokenId: null, endsTs: null }));
  });

  const ask = (headers: Record<string, string>) => {
    const accounts = new Map<string, 'admin'>();
    const sameOrigin = new SameOrigin({
      publicUrl: 'https://ops.example.org/',
      tls: false,
      behindProxy: false,
    });
    return new AdminGate(sameOrigin, { sessions, tokens, accounts, codes, reads }).identify({
      method: 'GET',
      headers: { host: 'localhost:8009', ...headers },
      address: '192.0.2.1',
    });
  };
  it('finds the session of a cookie among others', async () => {
    const viewer = await ask({ cookie: `a=b; vidimus_session=${secret}; c=d` });

    expect(viewer).toMatchObject({ name: 'operator', role: 'admin', method: 'code', address: '192.0.2.1' });
    expect(viewer?.sessionId).toMatch(/^[0-9a-f]{12}$/);
  });

  it.each<[string, Record<string, string>]>([
    ['no cookie', {}],
    ['two of them', { cookie: 'vidimus_session=SECRET; vidimus_session=SECRET' }],
    ['the plain name under a public name', { cookie: 'vidimus_session=SECRET', host: 'ops.example.org' }],
    ['the secret as a bearer token', { authorization: 'Bearer SECRET' }],
  ])('knows nobody with %s', async (_what, headers) => {
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replaceAll('SECRET', secret)]);

    expect(await ask(Object.fromEntries(filled) as Record<string, string>)).toBeNull();
  });

  it('takes the cookie with the prefix under every name', async () => {
    expect(await ask({ cookie: `__Host-vidimus_session=${secret}`, host: 'ops.example.org' })).not.toBeNull();
  });

  it('knows a revoked token no longer, at once', async () => {
    const { token, info } = await tokens.create({
      userId: null,
      label: '',
      expiresTs: null,
      scopes: ['admin_read'],
    });
    expect(await ask({ authorization: `Bearer ${token}` })).toMatchObject({
      name: `token ${token.slice(0, 8)}…`,
    });
    await tokens.revoke(info.id);

    expect(await ask({ authorization: `Bearer ${token}` })).toBeNull();
  });

  it('knows a command by the secret of its request, once and for a minute', async () => {
    const [secretOf, late] = [await codes.createForCommand('ana'), await codes.createForCommand('ana')];
    const command = (text: string) => ask({ authorization: `Command ${text}` });

    expect(await ask({ authorization: `Bearer ${secretOf}` })).toBeNull();
    await expect(ask({ authorization: `Command ${secretOf}`, cookie: 'a=b' })).rejects.toMatchObject({
      reason: 'csrf_blocked',
    });
    expect(await codes.use(secretOf)).toBeNull();
    expect(await command(secretOf)).toMatchObject({ name: 'ana', role: 'admin', method: 'command' });
    expect(await command(secretOf)).toBeNull();
    const { code } = await codes.create('admin');
    expect(await command(code.replaceAll('-', ''))).toBeNull();
    clock.advance(MINUTE_MS);
    expect(await command(late)).toBeNull();
  });
});
