import { beforeAll, describe, expect, it } from 'vitest';

import type { AuditEntry } from '../../../../src/core/access/operators/audit.js';
import { StoredAuditLog, type AuditFilter } from '../../../../src/core/access/operators/stored-audit-log.js';
import { systemClock } from '../../../../src/core/base/clock.js';
import { testEngines } from '../../../support/store/databases.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { openTestDatabase } from './access-kit.js';
import { setUp } from '../../../support/set-up.js';

const entry = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  actor: '@alice:example.org',
  role: 'operator',
  method: 'homeserver',
  action: 'deletePreviews',
  targetType: 'Preview',
  targetId: 'p1',
  summary: 'Deleted 3 previews',
  outcome: 'ok',
  address: '192.0.2.1',
  requestId: 'req-1',
  detail: { matched: 3 },
  ...change,
});

describe.each(testEngines())('the audit table on %s', (engine) => {
  const store = setUp(() => openTestDatabase(engine));
  let log: StoredAuditLog;
  const clock = new ManualClock();
  const firstTs = clock.now();

  beforeAll(async () => {
    log = new StoredAuditLog(store.database, clock);
    for (const change of [
      {},
      { action: 'deleteMedia' as const, summary: 'Deleted ÄPFEL 100%', targetId: null, targetType: null },
      { actor: '@bob:example.org', outcome: 'failed' as const, detail: null },
      {
        actor: '@bob:example.org',
        action: 'runJob' as const,
        summary: '=HYPERLINK("http://evil","x")',
        requestId: 'req-4',
      },
      { actor: 'zoe\0', summary: 'quoted "text", and\nlines', detail: { text: 'a\0b' } },
    ]) {
      await log.record(entry(change));
      clock.advance(1000);
    }
  });

  const idsOf = async (filter: AuditFilter) => {
    const { rows } = await log.page(filter, { direction: 'forward', size: 10, cursor: null });
    return rows.map((row) => row.id);
  };

  it('gives back what was recorded, newest first', async () => {
    const { rows } = await log.page({}, { direction: 'forward', size: 10, cursor: null });

    expect(rows.map((row) => row.id)).toEqual([5, 4, 3, 2, 1]);
    expect(rows.at(-1)).toEqual({ ...entry(), id: 1, ts: firstTs });
    expect(rows[2]?.detail).toBeNull();
    expect(rows[0]).toMatchObject({ actor: 'zoe\uFFFD', detail: { text: 'a\uFFFDb' } });
  });

  it.each<[string, AuditFilter, number[]]>([
    ['actor', { actor: '@bob:example.org' }, [4, 3]],
    ['action', { action: 'deletePreviews' }, [5, 3, 1]],
    ['outcome', { outcome: 'failed' }, [3]],
    ['after, the moment included', { after: firstTs + 3000 }, [5, 4]],
    ['a text in any case', { search: 'DELETED 3' }, [3, 1]],
    ['signs that are wildcards elsewhere', { search: '100%' }, [2]],
    ['U+0000', { search: '\0' }, [5]],
  ])('filters by %s', async (_what, filter, ids) => {
    expect(await idsOf(filter)).toEqual(ids);
    expect(await log.count(filter)).toBe(ids.length);
  });

  it.each([
    ['UPDATE', "UPDATE audit_event SET actor = 'nobody'"],
    ['DELETE', 'DELETE FROM audit_event'],
  ])('refuses %s, whoever asks', async (_what, statement) => {
    await new StoredAuditLog(store.database, systemClock).record(entry({ summary: 'made just now' }));
    const before = await store.database.client.auditEvent.count();

    await expect(store.database.client.$executeRawUnsafe(statement)).rejects.toThrow('append-only');
    expect(await store.database.client.auditEvent.count()).toBe(before);
    expect(await store.database.client.auditEvent.count({ where: { actor: 'nobody' } })).toBe(0);
  });
});
