import { setImmediate as nextTurn } from 'node:timers/promises';

import { MAX_ENTRY_BYTES, TILE_WIDTH } from '@vidimus/tlog';
import { expect, it } from 'vitest';

import { slowness } from '../../../support/machine-speed.js';
import { createTestDatabase } from '../../../support/store/databases.js';
import { growTo, openTestLog, queueEntries } from '../../../support/store/test-log.js';
import { longestTurnMs } from '../../../support/turns.js';

const LONGEST_TURN_MS = 6;
const ROUNDS = 15;
/** Of each, before it. */
const LENGTH = Buffer.from('ffff', 'hex');

/** Anybody can have them read again and again: each width is another one. */
it('bundles of the largest entries are read in many turns', async () => {
  const place = await createTestDatabase('sqlite');
  const one = await openTestLog(place);
  const entries = Array.from({ length: TILE_WIDTH }, (_, at) =>
    Buffer.from(`{"entry":${at}}`.padEnd(MAX_ENTRY_BYTES)),
  );
  await queueEntries(one.database, entries);
  await growTo(one, TILE_WIDTH);
  let longest = Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    const width = TILE_WIDTH - round;
    let bundle: Buffer | null = null;
    const ms = await longestTurnMs(async () => {
      await nextTurn();
      bundle = await one.log.readTile({ level: 'entries', n: 0, width });
      // What it did last is seen in the turn after it.
      await nextTurn();
    });
    expect(Buffer.concat(entries.slice(0, width).flatMap((entry) => [LENGTH, entry])).equals(bundle!)).toBe(
      true,
    );
    longest = Math.min(longest, ms);
  }
  await one.close();
  await place.cleanup();

  expect(longest).toBeLessThan(LONGEST_TURN_MS * slowness());
});
