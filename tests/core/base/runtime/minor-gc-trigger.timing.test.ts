import { describe, expect, it } from 'vitest';

import { findGc } from '../../../../src/core/base/runtime/find-gc.js';
import { MinorGcTrigger } from '../../../../src/core/base/runtime/minor-gc-trigger.js';

const MIB = 1024 * 1024;

describe('memory outside the heap', () => {
  it('is collected whenever as much has been dropped as it was told, not before', () => {
    let collections = 0;
    const memory = new MinorGcTrigger(MIB, () => () => {
      collections += 1;
    });
    const counts = Array.from({ length: 8 }, () => {
      memory.dropped(MIB / 4);
      return collections;
    });
    expect(counts).toEqual([0, 0, 0, 1, 1, 1, 1, 2]);
  });

  it('is freed by the collection of young objects', () => {
    const collect = findGc('minor');
    collect();
    const before = process.memoryUsage().arrayBuffers;
    dropPixels(16 * MIB);
    expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThanOrEqual(16 * MIB);
    collect();
    // Another thread may still be giving back what the first found; the second waits for it.
    collect();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MIB);
  });

  it('gives code of the service no collection to call', () => {
    findGc('minor');
    expect('gc' in globalThis).toBe(false);
  });
});

/** In a function of its own, so that nothing refers to them afterwards. */
function dropPixels(bytes: number): void {
  for (let made = 0; made < bytes; made += MIB) Buffer.alloc(MIB);
}
