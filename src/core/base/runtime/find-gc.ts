import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/** From Node 22 on; before, the engine collects the young objects alone whenever it is given anything. */
const HAS_LAST_RESORT = Number(process.versions.node.split('.', 1)[0]) >= 22;

/** The engine's collection of young objects or of all, which only new contexts are given, and only behind a flag. */
export function findGc(type: 'minor' | 'major'): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return () => {};
  if (type === 'minor') return () => void collect({ type });
  // Only so it moves objects together and gives emptied pages back to the system; else it keeps them for new objects.
  if (HAS_LAST_RESORT) return () => void collect({ type, flavor: 'last-resort' });
  // Flags are of the whole process: two threads would take each other's back.
  if (!isMainThread) return () => void collect();
  return () => {
    setFlagsFromString('--compact-on-every-full-gc');
    collect();
    setFlagsFromString('--no-compact-on-every-full-gc');
  };
}
