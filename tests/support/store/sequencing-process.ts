// Run by log-kill-9.test.ts as a process of its own, until it is killed: queues entries and runs the sequencer without
// pause. Says "queued ENTRY" before the transaction that queues it is begun, "kept ENTRY" when it is through, and
// "published NOTE" (base64) for each checkpoint that others could have read here.
import { writeSync } from 'node:fs';

import type { DatabaseOptions } from '../../../src/core/store/db.js';
import { isConflict, isStoreError } from '../../../src/core/store/store-errors.js';
import { openTestLog, queueEntries } from './test-log.js';

// Who started it may be killed as well.
process.once('disconnect', () => process.exit());
const options = JSON.parse(process.argv[2] ?? '') as DatabaseOptions;
const name = process.argv[3] ?? '';
// Standard output is a file, written at once, so that nothing of it is lost with the process.
const say = (line: string): void => void writeSync(1, `${line}\n`);

const one = await openTestLog({ options, cleanup: async () => undefined });
let published = one.log.checkpoint;
for (let round = 0; ; round += 1) {
  const entries = Array.from(
    { length: 1 + (round % 40) },
    (_, index) => `{"entry":"${name}/${round}/${index}"}`,
  );
  for (const entry of entries) say(`queued ${entry}`);
  try {
    await queueEntries(
      one.database,
      entries.map((entry) => Buffer.from(entry)),
    );
    for (const entry of entries) say(`kept ${entry}`);
    await one.sequencer.run();
  } catch (error) {
    if (!isStoreError(error) && !isConflict(error)) throw error;
  }
  if (one.log.damage !== null) throw new Error(one.log.damage);
  if (one.log.checkpoint !== published) {
    published = one.log.checkpoint;
    say(`published ${Buffer.from(published).toString('base64')}`);
    process.send?.('published');
  }
}
