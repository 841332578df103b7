// Run by deliveries-kill-9.test.ts as a process of its own, until it is killed: sends what waits in the outbox to a
// webhook, with a clock that goes ahead of the system's by the milliseconds of its last argument.
import { createLogger } from '../../../src/core/base/logger.js';
import { AddressPolicy } from '../../../src/core/net/address/address-policy.js';
import { compileAddressRanges } from '../../../src/core/net/address/address-ranges.js';
import { createGuardedAgents } from '../../../src/core/net/http/guarded-agents.js';
import { OutboxSender } from '../../../src/core/operators/oversight/outbox/outbox-sender.js';
import { OutboxStore } from '../../../src/core/operators/oversight/outbox/outbox-store.js';
import { webhookCarrier } from '../../../src/core/operators/oversight/outbox/webhook-carrier.js';
import { isConflict } from '../../../src/core/store/conflict.js';
import { openDatabase, type DatabaseOptions } from '../../../src/core/store/db.js';
import { isStoreError } from '../../../src/core/store/store-errors.js';

// Who started it may be killed as well.
process.once('disconnect', () => process.exit());
const [options = '', url = '', aheadMs = '0'] = process.argv.slice(2);
const logger = createLogger({ level: 'silent' });
const database = await openDatabase(JSON.parse(options) as DatabaseOptions, logger);
const clock = { now: () => Date.now() + Number(aheadMs) };
const nowhere = compileAddressRanges([]);
const agents = createGuardedAgents({
  resolver: { lookup: () => Promise.reject(new Error('no names here')), forget: () => undefined } as never,
  policy: new AddressPolicy({ blacklist: nowhere, whitelist: nowhere }),
  ca: null,
  minTlsVersion: 'TLSv1.2',
  maxHandshakeBytes: 1_000_000,
  connectTimeoutMs: 1000,
});
const hook = { name: 'ops', url, secret: 'a secret of 16 characters', tells: [], allow_private: true };
const common = { timeoutMs: 1000, giveUpAfterMs: Infinity };
const carrier = webhookCarrier({
  ...common,
  find: () => hook,
  agents: { guarded: agents, private: agents },
  clock,
  userAgent: 'Vidimus',
});
const sender = new OutboxSender({
  ...common,
  store: new OutboxStore(database),
  database,
  clock,
  logger,
  carriers: { webhook: carrier, command: carrier, notary: carrier },
  maxConcurrent: 8,
  firstRetryMs: 1,
  longestRetryMs: 1,
  maxWaiting: 100_000,
  onAttempt: () => undefined,
});
process.send?.('ready');
for (;;) {
  try {
    await sender.run();
  } catch (error) {
    if (!isStoreError(error) && !isConflict(error)) throw error;
  }
}
