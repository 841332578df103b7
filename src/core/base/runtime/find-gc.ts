import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The engine's collection of young objects or of all, which only new contexts are given, and only behind a flag. */
export function findGc(type: 'minor' | 'major'): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return () => {};
  if (type === 'minor') return () => void collect({ type });
  return () => {
    // Else pages stay that hold little: after a start a tenth of the heap.
    setFlagsFromString('--compact-on-every-full-gc');
    // Node 20 collects the young ones alone whenever it is given anything.
    collect();
    setFlagsFromString('--no-compact-on-every-full-gc');
    // From Node 22 on only this gives pages back to the system: the engine keeps them for new objects otherwise.
    collect({ type, flavor: 'last-resort' });
  };
}
