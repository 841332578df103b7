import { expect, it } from 'vitest';

import { createLogger } from '../../../../src/core/base/logger.js';
import { appendKeyEvents } from '../../../../src/core/notary/keys/key-changes.js';
import { inTransaction, openDatabase } from '../../../../src/core/store/db.js';
import { createTestDatabase } from '../../../support/store/databases.js';

it('an alarm is sent once its transaction is committed, and never when that is taken back', async () => {
  const place = await createTestDatabase('sqlite');
  const database = await openDatabase(place.options, createLogger({ level: 'silent' }));
  const steps: string[] = [];
  const listener = {
    admits: (serverName: string) => serverName !== 'limited.test',
    raised: () => void steps.push('sent'),
  };
  const event = { kind: 'key_replaced', severity: 'alert', keyId: 'ed25519:k1', detail: {} } as const;
  const raise = (serverName: string, finish: () => void) =>
    inTransaction(database, async (open) => {
      await appendKeyEvents(open, [{ serverName, ts: 1000, recordId: null, events: [event] }], listener);
      finish();
    });
  await raise('a.test', () => steps.push('stored'));
  expect(steps).toEqual(['stored', 'sent']);
  const failing = () => {
    throw new Error('of its own');
  };
  await expect(raise('b.test', failing)).rejects.toThrow('of its own');
  await raise('limited.test', () => steps.push('stored'));
  expect(steps).toEqual(['stored', 'sent', 'stored']);

  const rows = await database.client.keyEvent.findMany({
    select: { serverName: true, alarm: true },
    orderBy: { seq: 'asc' },
  });
  expect(rows).toEqual([
    { serverName: 'a.test', alarm: true },
    { serverName: 'limited.test', alarm: false },
  ]);
  await database.close();
  await place.cleanup();
});
