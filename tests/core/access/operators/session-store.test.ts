import { createHash } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { SessionStore, type NewSession } from '../../../../src/core/access/operators/session-store.js';
import { AccessTokenStore } from '../../../../src/core/access/users/access-token-store.js';
import { HOUR_MS, MINUTE_MS } from '../../../../src/core/base/clock.js';
import { testEngines } from '../../../support/store/databases.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { openTestDatabase } from './access-kit.js';
import { setUp } from '../../../support/set-up.js';

const LIFETIMES = { absoluteMs: 12 * HOUR_MS, idleMs: HOUR_MS };

const wanted = (change: Partial<NewSession> = {}): NewSession => ({
  actor: '@alice:example.org',
  role: 'operator',
  method: 'homeserver',
  address: '192.0.2.1',
  userAgent: 'Browser/1',
  accessTokenId: null,
  endsTs: null,
  ...change,
});

describe.each(testEngines())('SessionStore on %s', (engine) => {
  const store = setUp(() => openTestDatabase(engine));
  let sessions: SessionStore;
  const clock = new ManualClock();

  beforeAll(async () => {
    sessions = new SessionStore(
      { database: store.database, clock, logger: createLogger({ level: 'silent' }) },
      LIFETIMES,
    );
  });
  beforeEach(async () => {
    await store.database.client.adminSession.deleteMany();
  });

  it('finds a session by its secret of 256 bits, of which only the hash is stored', async () => {
    const { secret, session } = await sessions.create(wanted());

    const [row] = await store.database.client.adminSession.findMany();

    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(row?.tokenSha256).toBe(createHash('sha256').update(secret).digest('hex'));
    expect(await sessions.find(secret)).toEqual(session);
    expect(session).toMatchObject({
      actor: '@alice:example.org',
      role: 'operator',
      expiresTs: clock.now() + 12 * HOUR_MS,
    });
  });

  it('ends after an hour without use', async () => {
    const { secret, session } = await sessions.create(wanted());
    clock.advance(HOUR_MS - 1);
    expect(await sessions.find(secret)).not.toBeNull();
    clock.advance(1);

    expect(await sessions.find(secret)).toBeNull();
    expect((await sessions.list()).map(({ id }) => id)).not.toContain(session.id);
  });

  it('ends twelve hours after the sign-in however much it is used', async () => {
    const { secret } = await sessions.create(wanted());
    for (let count = 1; count < 24; count += 1) {
      clock.advance(HOUR_MS / 2);
      const session = await sessions.find(secret);
      expect(session).not.toBeNull();
      if (session !== null) await sessions.touch(session);
    }
    clock.advance(HOUR_MS / 2);

    expect(await sessions.find(secret)).toBeNull();
  });

  it('ends with the access token it was made with, revoked or expired', async () => {
    const tokens = new AccessTokenStore(store.database, clock);
    const token = { userId: null, label: 'script', scopes: ['admin_write'] as const };
    const revoked = await tokens.create({ ...token, expiresTs: null });
    const expiring = await tokens.create({ ...token, expiresTs: clock.now() + MINUTE_MS });
    const made = await Promise.all(
      [revoked, expiring].map(({ info }) =>
        sessions.create(wanted({ method: 'token', accessTokenId: info.id, endsTs: info.expiresTs })),
      ),
    );
    const found = () => Promise.all(made.map(async ({ secret }) => (await sessions.find(secret)) !== null));
    expect(await found()).toEqual([true, true]);

    await tokens.revoke(revoked.info.id);
    expect(await found()).toEqual([false, true]);
    expect(await sessions.list()).toHaveLength(1);
    clock.advance(MINUTE_MS);
    expect(await found()).toEqual([false, false]);
    expect(await sessions.list()).toEqual([]);
  });

  it('lists the latest sign-in first and ends sessions by their id', async () => {
    const first = await sessions.create(wanted());
    clock.advance(1);
    const second = await sessions.create(wanted());
    expect((await sessions.list()).map(({ id }) => id)).toEqual([second.session.id, first.session.id]);

    expect([await sessions.end(first.session.id), await sessions.end(first.session.id)]).toEqual([
      true,
      false,
    ]);
    expect(await sessions.find(first.secret)).toBeNull();
  });
});
