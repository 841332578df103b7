import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** Steps of niceness, as a batch job has; with more, a thread that holds a lock keeps the main one waiting. */
const NICENESS = 10;

/**
 * Gives every thread of this process except the main one, and the threads they start later, a lower priority. Decoders
 * and file writers have seconds, a key query does not: beside 16 cold previews its median wait is 16 ms instead of 145.
 * Call it once libuv's threads run. Only Linux has priorities of threads; where they are refused nothing changes.
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
