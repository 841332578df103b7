// Run by witness-kill-9.test.ts as a process of its own, until it is killed: offers two continuations of a log to a
// witness at once, again and again. Says "cosigned SIZE ROOT" for each answer that a log could have had. Which entry
// was cosigned at each place stands in an extension line of the checkpoint, so that the next process can go on.
import { createHash, randomInt } from 'node:crypto';
import { writeSync } from 'node:fs';

import { growTree, rootOf } from '../../../src/core/notary/log/tree/growth.js';
import { proveConsistency } from '../../../src/core/notary/log/tree/consistency.js';
import { hashLeaf } from '../../../src/core/notary/log/tree/hashes.js';
import type { DatabaseOptions } from '../../../src/core/store/db.js';
import { isConflict } from '../../../src/core/store/conflict.js';
import { isStoreError } from '../../../src/core/store/store-errors.js';
import { OTHER_LOG_KEY, offerBody, openTestWitness } from './test-witness.js';

// Who started it may be killed as well.
process.once('disconnect', () => process.exit());
const options = JSON.parse(process.argv[2] ?? '') as DatabaseOptions;
const originSha256 = createHash('sha256').update(OTHER_LOG_KEY.name).digest('hex');
const { witness } = await openTestWitness({ options });

const offer = async (entries: string): Promise<void> => {
  const size = entries.length;
  const leaves = Array.from(entries, (entry, index) => hashLeaf(Buffer.from(`${index} ${entry}`)));
  const { edge, tiles } = growTree({ size: 0, partial: [] }, leaves);
  const stored = new Map(tiles.map(({ level, n, hashes }) => [`${level}/${n}`, Buffer.concat(hashes)]));
  const proof = await proveConsistency(size - 1, size, async (level, n) => stored.get(`${level}/${n}`)!);
  const root = rootOf(edge).toString('base64');
  const note = OTHER_LOG_KEY.signNote(`${OTHER_LOG_KEY.name}\n${size}\n${root}\n${entries}\n`);
  try {
    const { outcome } = await witness.addCheckpoint(offerBody(size - 1, proof, note));
    if (outcome === 'cosigned') writeSync(1, `cosigned ${size} ${root}\n`);
  } catch (error) {
    if (!isStoreError(error) && !isConflict(error)) throw error;
  }
};

for (let round = 0; ; round += 1) {
  const known = ((await witness.findCheckpoint(originSha256)) ?? '').split('\n')[3] ?? '';
  await Promise.all([0, 1].map(() => offer(known + String.fromCodePoint(0x61 + randomInt(26)))));
  // A busy machine takes long for the first one; kills are to fall among the next.
  if (round === 0) process.send?.('ready');
}
