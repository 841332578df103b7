import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { AuditEntry } from '../../src/core/access/operators/audit.js';
import { DAY_MS } from '../../src/core/base/clock.js';
import { testEngines } from '../support/store/databases.js';
import { ManualClock } from '../support/manual-clock.js';
import { startTestService, type TestService } from '../support/service.js';

/** The database judges age by its own clock, so that this one stays in the past. */
const LONG_AGO_TS = 1_600_000_000_000;

const entry = (summary: string): AuditEntry => ({
  actor: '@alice:example.org',
  role: 'operator',
  method: 'homeserver',
  action: 'deletePreviews',
  targetType: null,
  targetId: null,
  summary,
  outcome: 'ok',
  address: null,
  requestId: 'req-1',
  detail: null,
});

describe.each(testEngines())('the audit table on %s', (engine) => {
  let service: TestService;

  beforeEach(async () => {
    service = await startTestService({ engine, clock: new ManualClock(LONG_AGO_TS) });
  });
  afterEach(() => service.remove());

  const summaries = async () => {
    const rows = await service.context.parts.database.client.auditEvent.findMany({ orderBy: { id: 'asc' } });
    return rows.map(({ summary }) => summary);
  };
  const prune = async () => {
    const { registry } = service.context.services.jobs;
    const { finished } = await registry.runNow('prune_audit_log', '@op:test');
    return finished;
  };

  it('keeps entries for a year, then they are deleted every hour', async () => {
    const { auditLog } = service.context.services.operators.access;
    await auditLog.record(entry('first'));
    service.clock.advance(1);
    await auditLog.record(entry('second'));
    service.clock.advance(365 * DAY_MS - 1);
    expect(await prune()).toMatchObject({ outcome: 'ok', counts: {} });

    service.clock.advance(1);

    // The start recorded nothing: by so wrong a clock no signing key is taken into use.
    expect(await prune()).toMatchObject({ outcome: 'ok', counts: { audit_entries: 1 } });
    expect(await summaries()).toEqual(['second']);
  });

  it('keeps them as long as the setting says', async () => {
    service = await service.restart({ admin: { audit_retention: '60d' } });
    await service.context.services.operators.access.auditLog.record(entry('first'));
    service.clock.advance(60 * DAY_MS + 1);

    await prune();

    expect(await summaries()).toEqual([]);
  });
});
