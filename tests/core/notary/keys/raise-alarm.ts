import { createLogger } from '../../../../src/core/base/logger.js';
import { appendKeyEvents } from '../../../../src/core/notary/keys/key-changes.js';
import { AlarmBounds } from '../../../../src/core/notary/keys/saving/alarm-bounds.js';
import { inTransaction, type Database } from '../../../../src/core/store/db.js';
import { ManualClock } from '../../../support/manual-clock.js';

/** A replaced key of a server, under bounds of alarms. `finish` is done last in the transaction. */
export async function raiseAlarm(
  database: Database,
  serverName: string,
  limits: { maxPerDomain: number; maxTotal: number },
  { raised = () => undefined, finish = () => undefined }: { raised?: () => void; finish?: () => void } = {},
): Promise<void> {
  const clock = new ManualClock();
  const logger = createLogger({ level: 'silent' });
  const alarms = new AlarmBounds({ ...limits, clock, logger });
  const listener = { alarms, raised };
  const event = { kind: 'key_replaced', severity: 'alert', keyId: 'ed25519:k1', detail: {} } as const;
  const batch = { serverName, ts: clock.now(), recordId: null, events: [event] };
  await inTransaction(database, async (open) => {
    await appendKeyEvents(open, [batch], listener);
    finish();
  });
}
