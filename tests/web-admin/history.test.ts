import { describe, expect, it } from 'vitest';

import { historyOf } from '../../web-admin/src/pages/server/history.js';

const START_TS = Date.parse('2026-11-20T00:00:00.000Z');
/** Hours after the start, in the form of the API. */
const at = (hours: number) => new Date(START_TS + hours * 3_600_000).toISOString();
const key = (keyId: string, value: string, expired: number | null = null) => ({
  keyId,
  key: value,
  expiredAt: expired === null ? null : at(expired),
});
const band = (from: number, until: number | null, keys: ReturnType<typeof key>[], valid = 10) => ({
  number: from,
  from: at(from),
  until: until === null ? null : at(until),
  recordNumber: from,
  sha256: 'aa',
  firstSeenAt: at(from),
  validUntil: at(valid),
  keys,
  keyCount: keys.length,
});

describe('the history of a server on its page', () => {
  const first = [key('k1', 'A')];
  const rotated = [key('k1', 'A', 1), key('k2', 'B')];
  const bands = [
    band(14, null, [key('k2', 'C')], 30),
    band(3, 14, rotated),
    band(2, 3, rotated),
    band(0, 2, first),
  ];
  const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
  const server = {
    id: 'server',
    history: { nodes: bands, pageInfo } as never,
    acknowledgements: [{ at: at(15), actor: 'ana', reason: 'announced' }],
  };

  it('marks rotation, gap, replacement and acknowledgement in words', () => {
    expect(historyOf(server, START_TS + 20 * 3_600_000).marks).toMatchObject([
      { kind: 'FIRST', from: at(0) },
      { kind: 'ROTATION', from: at(2), sentence: '"k2" took over from "k1".' },
      { kind: 'GAP', from: at(10), until: at(14) },
      { kind: 'REPLACEMENT', from: at(14) },
      { kind: 'ACKNOWLEDGED', from: at(15), sentence: 'ana acknowledged the alarm: announced' },
    ]);
  });

  it('has a lane for each key, in which it is in use, old or another one', () => {
    expect(historyOf(server, START_TS + 20 * 3_600_000).lanes).toMatchObject([
      {
        keyId: 'k2',
        pieces: [
          { from: at(2), until: at(14), isOld: false, key: 'B', validUntil: at(10) },
          { from: at(14), until: null, isOld: false, key: 'C', validUntil: at(30) },
        ],
      },
      {
        keyId: 'k1',
        pieces: [
          { from: at(0), until: at(2), isOld: false },
          { from: at(2), until: at(14), isOld: true, validUntil: at(1) },
        ],
      },
    ]);
  });
});
