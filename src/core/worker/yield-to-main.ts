import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Steps of niceness, as a batch job has. */
const NICENESS = 10;

/**
 * Lets every thread of this process but the main one wait when processors are short, those that they start
 * later too: decoders and file writers have seconds, a key query has not. To be called once libuv's threads run.
 * Only Linux has priorities of threads; without them, or where they are refused, nothing changes.
 */
export function yieldToMainThread(): void {
  if (process.platform !== 'linux') return;
  try {
    const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority(process.pid) + NICENESS);
    const threads = readdirSync('/proc/self/task').map(Number);
    for (const id of threads) if (id !== process.pid) setPriority(id, niceness);
  } catch {
    // A thread that has just ended, or a system that hides its threads: previews are made all the same.
  }
}
