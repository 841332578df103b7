import { beforeAll, describe, expect, it } from 'vitest';

import { addFresh } from '../../../../../src/core/notary/keys/asked-records.js';
import { PlainQuestion } from '../../../../../src/core/notary/keys/cached/plain-question.js';
import { NOTHING_KNOWN, type KnownRecord } from '../../../../../src/core/notary/keys/cached/known-server.js';
import { RecordCache } from '../../../../../src/core/notary/keys/record-cache.js';
import { parseKeyQueryBody } from '../../../../../src/rest/peers/key-query-body.js';
import { ManualClock } from '../../../../support/manual-clock.js';

const LIMITS = { maxServers: 3, maxKeyIdsPerServer: 2, maxKeyIds: 4 };
const clock = new ManualClock();
const NOW_TS = clock.now();
const VALID_UNTIL_TS = NOW_TS + 1000;
const KEY_IDS = [['k', 'l'], ['m']];

/** Two records of each server, good for one and two keys; `stale` is past half of its life. */
const cache = new RecordCache({
  load: async (serverNames) =>
    new Map(
      serverNames.map((serverName, server) => [
        serverName,
        KEY_IDS.map((keyIds, index) => ({
          id: 2 * server + index + 1,
          serverName,
          published: Buffer.from(serverName),
          addedTs: serverName === 'stale' ? NOW_TS - 2000 : NOW_TS,
          validUntilTs: VALID_UNTIL_TS,
          keyIds,
        })),
      ]),
    ),
  sign: (published) => published,
  serves: () => true,
  clock,
  maxBytes: 1_000_000,
  lifetimeMs: 60_000,
});

beforeAll(() => cache.find(['a', 'b', 'a.example:8448', 'stale'], { limitMs: 1000, maxBytes: 1_000_000 }));

const answer = (text: string, limits = LIMITS) =>
  new PlainQuestion(Buffer.from(text), limits, clock.now()).answer(cache);

/** What the same question is answered with after it was parsed; `null` when it is refused or not all is fresh. */
function parsedAnswer(text: string): readonly KnownRecord[] | null {
  const records: KnownRecord[] = [];
  const nowTs = clock.now();
  try {
    for (const query of parseKeyQueryBody(Buffer.from(text), LIMITS)) {
      const known = cache.peek(query.serverName, nowTs) ?? NOTHING_KNOWN;
      if (!addFresh(records, query, { known, nowTs })) return null;
    }
    return records;
  } catch {
    return null;
  }
}

const PLAIN = [
  '{"server_keys":{"a":{}}}',
  '{"server_keys":{"a":{"k":{}}}}',
  '{"server_keys":{"a":{"k":{},"l":{}},"b":{"m":{},"k":{"minimum_valid_until_ts":1}}}}',
  `{"server_keys":{"a.example:8448":{"k":{"minimum_valid_until_ts":${VALID_UNTIL_TS}}},"b":{}}}`,
];
const NOT_PLAIN = [
  '{"server_keys":{}}',
  '{"server_keys":{"a":{},"a":{}}}',
  '{"server_keys":{"a":{"k":{},"k":{}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":0}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":1234567890123456}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":}}}}',
  `{"server_keys":{"a":{"k":{"minimum_valid_until_ts":${VALID_UNTIL_TS + 1}}}}}`,
  '{"server_keys":{"a":{"k":{"maximum_valid_until_ts":1}}}}',
  '{"server_keys":{"a":{"x":{}}}}',
  '{"server_keys":{"unknown":{"k":{}}}}',
  '{"server_keys":{"stale":{"k":{}}}}',
  '{"server_keys":{"a":{}},"server_keys":{}}',
  '{"server_keys":{"a":{}}}}',
  '{"server_keys":{"a":{}}',
  '{"server_keys":{"a":{},}}',
  '{"server_keys":{"\\u0061":{}}}',
  '{"server_keys":{"a":[]}}',
  '{"server_keys":{"a":{"k":{},"l":{},"m":{}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":1',
  '{"server_keys":{"a',
  '',
];
const BYTES = ['{', '}', '"', ':', ',', '\\', ' ', '0', '1', '9', '-', '.', 'a', 'b', 'k', 'é', '\n'];

/** The text with something put in or put in place of a character, at every place. */
function* mutantsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 1) {
    for (const inserted of BYTES) {
      yield text.slice(0, at) + inserted + text.slice(at);
      yield text.slice(0, at) + inserted + text.slice(at + 1);
    }
  }
}

describe('questions that are looked up while they are read (SPEC §4.3)', () => {
  it.each(PLAIN)('%s is answered as after it was parsed', (text) => {
    const found = answer(text);
    expect(found?.records.length).toBeGreaterThan(0);
    expect(found?.records).toEqual(parsedAnswer(text));
  });

  it.each(NOT_PLAIN)('%s is left to the parser', (text) => {
    expect(answer(text)).toBeNull();
  });

  it('is never answered differently, whatever is put where', () => {
    let answered = 0;
    for (const text of PLAIN.flatMap((plain) => [plain, ...mutantsOf(plain)])) {
      const found = answer(text);
      if (found === null) continue;
      answered += 1;
      expect({ text, ids: found.records.map(({ id }) => id) }).toEqual({
        text,
        ids: parsedAnswer(text)?.map(({ id }) => id),
      });
    }
    expect(answered).toBeGreaterThan(50);
  });

  it('heeds the limits on servers and keys', () => {
    const two = '{"server_keys":{"a":{"k":{}},"b":{"k":{}}}}';
    expect(answer(two)?.servers).toBe(2);
    expect(answer(two, { ...LIMITS, maxServers: 1 })).toBeNull();
    expect(answer(two, { ...LIMITS, maxKeyIds: 1 })).toBeNull();
  });

  it('leaves a server to the parser that was stored anew', () => {
    cache.invalidate('b');
    expect(answer('{"server_keys":{"b":{"k":{}}}}')).toBeNull();
    expect(answer('{"server_keys":{"a":{"k":{}}}}')).not.toBeNull();
  });
});
