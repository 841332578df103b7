// One preparation of a checkout at a time, also when two starters meet and when one was killed.
import { mkdirSync, readdirSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 100;
/** A folder without an owner is one that is just being made or removed, unless it stays so. */
const OWNERLESS_MS = 5000;
/** After a restart of the machine the number of a dead owner may belong to somebody else. */
const LONGEST_WORK_MS = 15 * 60_000;

/**
 * Runs work while holding the lock folder; waits for a living holder and clears up after a dead one. What work calls
 * with the id of another process lets that one hold it, too: it may outlive this one.
 */
export async function withLock(folder, { onWait }, work) {
  let told = false;
  while (!take(folder)) {
    if (removeIfDead(folder)) continue;
    if (!told) onWait();
    told = true;
    await wait(POLL_MS);
  }
  const owners = [process.pid];
  const hold = (pid) => {
    owners.push(pid);
    writeFileSync(join(folder, String(pid)), '');
  };
  const release = () => free(folder, owners);
  process.once('exit', release);
  try {
    return await work(hold);
  } finally {
    process.off('exit', release);
    release();
  }
}

/** Making a folder succeeds for one only. */
function take(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
  try {
    writeFileSync(join(folder, String(process.pid)), '');
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** True when there is a point in trying again at once. */
function removeIfDead(folder) {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  const ageMs = Date.now() - stats.mtimeMs;
  const owners = namesIn(folder);
  if (owners.length === 0) {
    if (ageMs <= OWNERLESS_MS) return false;
    removeEmpty(folder);
    return true;
  }
  if (ageMs <= LONGEST_WORK_MS && owners.some((owner) => isAlive(Number(owner)))) return false;
  free(folder, owners);
  return true;
}

/** Of several who find dead owners only one gets to remove an entry, and the folder goes with the last of them. */
function free(folder, owners) {
  let removed = 0;
  for (const owner of owners) {
    try {
      unlinkSync(join(folder, String(owner)));
      removed += 1;
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  if (removed > 0) removeEmpty(folder);
}

function removeEmpty(folder) {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  }
}

/** Empty where there is no such folder. */
export function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
