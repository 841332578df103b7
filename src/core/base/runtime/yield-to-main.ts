import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Steps of niceness, as a batch job has; with more, a thread that holds a lock keeps the main one waiting. */
const NICENESS = 10;

/**
 * Lets every thread of this process but the main one wait when processors are short, those that they start
 * later too: decoders and file writers have seconds, a key query has not. To be called once libuv's threads run.
 * Only Linux has priorities of threads; without them, or where they are refused, nothing changes.
 */
export function yieldToMainThread(): void {
  collectAlone();
  if (process.platform !== 'linux') return;
  try {
    const niceness = Math.min(constants.priority.PRIORITY_LOW, getPriority(process.pid) + NICENESS);
    const threads = readdirSync('/proc/self/task').map(Number);
    for (const id of threads) if (id !== process.pid) setPriority(id, niceness);
  } catch {
    // A thread that has just ended, or a system that hides its threads: previews are made all the same.
  }
}

/**
 * Collecting young objects takes about a millisecond; shared among threads it costs more in all, and who shares it
 * waits for threads that are nicer.
 */
function collectAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}
