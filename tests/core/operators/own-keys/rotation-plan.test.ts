import { describe, expect, it } from 'vitest';

import type { SigningKeyRow } from '../../../../src/core/notary/own-keys/signing-key-store.js';
import { planRotation, type RotationFacts } from '../../../../src/core/operators/own-keys/rotation-plan.js';

const A = { keyId: 'ed25519:a', publicKey: 'AAAA' };
const B = { keyId: 'ed25519:b', publicKey: 'BBBB' };
const row = (key: typeof A, firstSeenTs: number, retiredTs: number | null = null): SigningKeyRow => ({
  ...key,
  state: retiredTs === null ? 'active' : 'retired',
  firstSeenTs,
  retiredTs,
});
const plan = (facts: Partial<RotationFacts>, nowTs = 1000) =>
  planRotation({ file: [A], stored: [], formerUntilTs: null, validityMs: 500, ...facts }, nowTs);

describe('planRotation', () => {
  it('has nothing under way with one key, before the first start and after it', () => {
    expect(plan({})).toMatchObject({ step: 'make', oldKey: A, newKey: null, problem: null });
    expect(plan({ stored: [row(A, 1)] })).toMatchObject({
      step: 'make',
      oldKey: { keyId: A.keyId },
      newKey: null,
    });
  });

  it('waits for a start when the file has a key that no start has seen', () => {
    const expected = { step: 'publish', newKey: B, safeTs: null, problem: null };
    expect(plan({ file: [A, B], stored: [row(A, 1)] })).toMatchObject(expected);
    expect(plan({ file: [A, B] })).toMatchObject({ ...expected, oldKey: A });
  });

  it('is safe when what peers hold from before has ended, not a moment earlier', () => {
    const both = { file: [A, B], stored: [row(A, 1), row(B, 900)], formerUntilTs: 1200 };
    expect(plan(both, 1199)).toMatchObject({ step: 'wait', safeTs: 1200 });
    expect(plan(both, 1200)).toMatchObject({ step: 'retire', safeTs: 1200 });
  });

  it('takes the whole validity where the record before is not known, and none for keys that came together', () => {
    const both = { file: [A, B], stored: [row(A, 1), row(B, 900)] };
    expect(plan(both)).toMatchObject({ step: 'wait', safeTs: 1400 });
    expect(plan({ ...both, stored: [row(A, 900), row(B, 900)] })).toMatchObject({ step: 'retire' });
  });

  it('waits for a start when the old key left the file, then until peers have forgotten it', () => {
    expect(plan({ file: [B], stored: [row(A, 1), row(B, 500)], formerUntilTs: 900 })).toMatchObject({
      step: 'drop',
      oldKey: { keyId: A.keyId },
      newKey: { keyId: B.keyId },
    });
    const dropped = { file: [B], stored: [row(A, 1, 950), row(B, 500)], formerUntilTs: 1400 };
    expect(plan(dropped)).toMatchObject({ step: 'forget', oldKey: { keyId: A.keyId }, safeTs: 1400 });
    expect(plan(dropped, 1400)).toMatchObject({ step: 'make', oldKey: { keyId: B.keyId }, newKey: null });
  });

  it('warns of a file in which one key took the place of another at once, and of one that cannot be read', () => {
    expect(plan({ file: [B], stored: [row(A, 1)] }).problem).toContain('lacks ed25519:a already');
    expect(plan({ file: null, stored: [row(A, 1)] })).toMatchObject({
      step: 'make',
      problem: expect.stringContaining('cannot be read') as string,
    });
  });
});
