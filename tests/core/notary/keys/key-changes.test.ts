import { describe, expect, it } from 'vitest';

import { HOUR_MS } from '../../../../src/core/base/clock.js';
import {
  diffKeys,
  recordErrorEvent,
  type KeyChange,
  type KnownKey,
} from '../../../../src/core/notary/keys/key-changes.js';

function keys(...list: KnownKey[]): Map<string, KnownKey> {
  return new Map(list.map((key) => [key.keyId, key]));
}

const k1: KnownKey = { keyId: 'ed25519:k1', publicKey: 'AAAA', expiredTs: null };
const k2: KnownKey = { keyId: 'ed25519:k2', publicKey: 'BBBB', expiredTs: null };

function change(rest: Partial<KeyChange>): KeyChange {
  return {
    known: keys(k1),
    previousKeyIds: new Set(['ed25519:k1']),
    previousValidUntilTs: 100,
    current: keys(k1),
    validUntilTs: 100,
    unprovenKeyIds: [],
    ...rest,
  };
}

function kinds(rest: Partial<KeyChange>): string[] {
  return diffKeys(change(rest)).map((event) => `${event.severity} ${event.kind} ${event.keyId ?? '-'}`);
}

describe('diffKeys', () => {
  it('is silent when nothing changed', () => {
    expect(kinds({})).toEqual([]);
  });

  it('tells of a server seen for the first time and its keys', () => {
    const first = { known: keys(), previousKeyIds: null, previousValidUntilTs: null };

    expect(kinds(first)).toEqual(['info server_first_seen -', 'info key_added ed25519:k1']);
  });

  it('tells of a rotation: one key added, one removed', () => {
    expect(kinds({ current: keys(k2) })).toEqual([
      'info key_added ed25519:k2',
      'warning key_removed ed25519:k1',
    ]);
  });

  it('does not tell again of a key that vanished earlier', () => {
    const rotated = { known: keys(k1, k2), previousKeyIds: new Set(['ed25519:k2']), current: keys(k2) };

    expect(kinds(rotated)).toEqual([]);
  });

  it('tells of retirement and of a return', () => {
    const retired = { ...k1, expiredTs: 5 };

    expect(kinds({ current: keys(retired) })).toEqual(['info key_retired ed25519:k1']);
    expect(kinds({ known: keys(retired) })).toEqual(['warning key_reinstated ed25519:k1']);
  });

  it('raises an alert for another key under the same id', () => {
    const replaced = { ...k1, publicKey: 'CCCC' };

    const events = diffKeys(change({ current: keys(replaced) }));

    expect(events).toEqual([
      { kind: 'key_replaced', severity: 'alert', keyId: 'ed25519:k1', detail: { from: 'AAAA', to: 'CCCC' } },
    ]);
  });

  it('warns when validity goes backwards by over an hour, also between number and bigint', () => {
    const previousValidUntilTs = 2 * HOUR_MS;
    const back = (ms: number) => kinds({ previousValidUntilTs, validUntilTs: previousValidUntilTs - ms });
    expect([back(1), back(HOUR_MS)]).toEqual([[], []]);
    expect(back(HOUR_MS + 1)).toEqual(['warning validity_went_backwards -']);
    expect(kinds({ previousValidUntilTs: 2n ** 60n })).toEqual(['warning validity_went_backwards -']);
    expect(kinds({ validUntilTs: 2n ** 60n })).toEqual([]);
  });

  it('marks a new key that did not sign', () => {
    const unproven = { current: keys(k1, k2), unprovenKeyIds: ['ed25519:k2'] };

    expect(kinds(unproven)).toEqual(['info key_added ed25519:k2', 'warning key_unproven ed25519:k2']);
  });
});

describe('refusalEvent', () => {
  it.each([
    ['record_weak_key', 'weak_key_refused', 'alert'],
    ['record_banned_key', 'banned_key_refused', 'alert'],
    ['record_bad_signature', 'record_refused', 'warning'],
    ['json_duplicate_member', 'record_refused', 'warning'],
  ])('%s leaves %s (%s)', (reason, kind, severity) => {
    expect(recordErrorEvent(reason, 'm')).toMatchObject({ kind, severity });
  });

  it('leaves nothing for a failure of the network', () => {
    expect(recordErrorEvent('connection_refused', 'm')).toBeNull();
  });
});
