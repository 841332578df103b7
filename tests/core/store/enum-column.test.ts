import { describe, expect, it } from 'vitest';

import { createLogger } from '../../../src/core/base/logger.js';
import { SessionStore } from '../../../src/core/access/operators/session-store.js';
import { StoredAuditLog } from '../../../src/core/access/operators/stored-audit-log.js';
import { HOUR_MS } from '../../../src/core/base/clock.js';
import { ManualClock } from '../../support/manual-clock.js';
import { openTestDatabase } from '../access/operators/access-kit.js';
import { setUp } from '../../support/set-up.js';

const OF_A_NEWER_VERSION = 'of_a_newer_version';

describe('a word in a column that this version does not know', () => {
  const store = setUp(() => openTestDatabase('sqlite'));
  const clock = new ManualClock();

  it('leaves a page of the audit table readable', async () => {
    const log = new StoredAuditLog(store.database, clock);
    const known = { actor: 'a', action: 'b', targetType: null, targetId: null, summary: 's', address: null };
    const word = OF_A_NEWER_VERSION;
    await store.database.client.auditEvent.create({
      data: { ...known, requestId: 'r', ts: 1n, role: word, method: word, outcome: word },
    });
    const { rows } = await log.page({}, { direction: 'forward', size: 10, cursor: null });
    expect(rows).toMatchObject([{ role: 'viewer', method: 'command', outcome: 'failed' }]);
  });

  it('lets nobody in: neither a session nor a place in their list', async () => {
    const sessions = new SessionStore(
      { database: store.database, clock, logger: createLogger({ level: 'silent' }) },
      { absoluteMs: HOUR_MS, idleMs: HOUR_MS },
    );
    const wanted = { actor: 'a', address: null, userAgent: null, accessTokenId: null, endsTs: null };
    const { secret } = await sessions.create({ ...wanted, role: 'viewer', method: 'code' });
    await store.database.client.adminSession.updateMany({ data: { role: OF_A_NEWER_VERSION } });
    expect(await sessions.find(secret)).toBeNull();
    expect(await sessions.list()).toEqual([]);
  });
});
