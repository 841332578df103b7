import { describe, expect, it } from 'vitest';

import { resolveOwnKeys } from '../../../../src/core/notary/own-keys/own-key-states.js';
import type { SigningKeyRow } from '../../../../src/core/notary/own-keys/signing-key-store.js';

const A = { keyId: 'ed25519:a', publicKey: 'AAAA' };
const B = { keyId: 'ed25519:b', publicKey: 'BBBB' };

function row(key: typeof A, rest: Partial<SigningKeyRow> = {}): SigningKeyRow {
  return { ...key, state: 'active', firstSeenTs: 1, retiredTs: null, ...rest };
}

describe('resolveOwnKeys', () => {
  it('remembers a new key as active', () => {
    const states = resolveOwnKeys({ active: [A], configuredOld: [], stored: [] }, 50);

    expect(states.changed).toEqual([row(A, { firstSeenTs: 50 })]);
    expect(states.retired).toEqual([]);
  });

  it('changes nothing when nothing changed', () => {
    const states = resolveOwnKeys({ active: [A], configuredOld: [], stored: [row(A)] }, 50);

    expect(states.changed).toEqual([]);
  });

  it('retires a key that left the file, as of now, and keeps that time ever after', () => {
    const first = resolveOwnKeys({ active: [B], configuredOld: [], stored: [row(A), row(B)] }, 50);
    const retiredRow = first.changed[0]!;
    const later = resolveOwnKeys({ active: [B], configuredOld: [], stored: [retiredRow, row(B)] }, 99);

    expect(first.retired).toEqual([{ ...A, expiredTs: 50 }]);
    expect(first.notes).toHaveLength(1);
    expect(later.retired).toEqual([{ ...A, expiredTs: 50 }]);
    expect(later.changed).toEqual([]);
  });

  it('takes the true time from old_signing_keys', () => {
    const sources = { active: [B], configuredOld: [{ ...A, expiredTs: 7 }], stored: [row(A), row(B)] };

    const states = resolveOwnKeys(sources, 50);

    expect(states.retired).toEqual([{ ...A, expiredTs: 7 }]);
    expect(states.changed).toEqual([row(A, { state: 'retired', retiredTs: 7 })]);
  });

  it('refuses a key that is both in the file and under old_signing_keys', () => {
    const states = resolveOwnKeys({ active: [A], configuredOld: [{ ...A, expiredTs: 7 }], stored: [] }, 50);

    expect(states.errors).toHaveLength(1);
  });

  it('refuses another key under an id used before', () => {
    const states = resolveOwnKeys(
      { active: [{ ...A, publicKey: 'CCCC' }], configuredOld: [], stored: [row(A)] },
      50,
    );

    expect(states.errors).toHaveLength(1);
  });

  it('makes a retired key active again when it returns to the file', () => {
    const stored = [row(A, { state: 'retired', retiredTs: 7 })];

    const states = resolveOwnKeys({ active: [A], configuredOld: [], stored }, 50);

    expect(states.retired).toEqual([]);
    expect(states.changed).toEqual([row(A)]);
    expect(states.notes).toHaveLength(1);
  });
});
