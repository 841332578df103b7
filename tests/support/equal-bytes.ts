// Arrays of bytes are compared whole: one by one, as they are otherwise, takes microseconds a byte.
import { expect } from 'vitest';

/** Files that share a process run this each; testers are of the process. */
const IS_KNOWN = Symbol.for('vidimus.equal-bytes');

if (!Reflect.has(globalThis, IS_KNOWN)) {
  Reflect.set(globalThis, IS_KNOWN, true);
  expect.addEqualityTesters([
    (a, b) => {
      if (!(a instanceof Uint8Array) || !(b instanceof Uint8Array)) return undefined;
      // Those that differ, in kind too, are told as ever.
      return a.constructor === b.constructor && Buffer.compare(a, b) === 0 ? true : undefined;
    },
  ]);
}
