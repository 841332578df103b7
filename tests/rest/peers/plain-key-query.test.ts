import { describe, expect, it } from 'vitest';

import type { ServerQuery } from '../../../src/core/notary/keys/key-query.js';
import { parseKeyQueryBody } from '../../../src/rest/peers/key-query-body.js';
import { readPlainKeyQuery } from '../../../src/rest/peers/plain-key-query.js';

const LIMITS = { maxServers: 3, maxKeyIdsPerServer: 2, maxKeyIds: 4 };
const PLAIN = [
  '{"server_keys":{"a.example":{}}}',
  '{"server_keys":{"a.example":{"ed25519:a":{}}}}',
  '{"server_keys":{"a.example":{"ed25519:a":{"minimum_valid_until_ts":1234567890123}},"b.example:8448":{}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":1},"l":{}},"b":{"k":{"minimum_valid_until_ts":123456789012345}}}}',
];
const NOT_PLAIN = [
  '{"server_keys":{}}',
  '{"server_keys":{"a":{},"a":{}}}',
  '{"server_keys":{"a":{"k":{},"k":{}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":0}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":01}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":-1}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":1.0}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":1e3}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":1234567890123456}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":null}}}}',
  '{"server_keys":{"a":{"k":{"maximum_valid_until_ts":1}}}}',
  '{"server_keys":{"a":{}},"server_keys":{}}',
  '{"server_keys":{"a":{}}}}',
  '{"server_keys":{"a":{}}',
  '{"server_keys":{"a":{},}}',
  '{"server_keys":{"a":{"k":{},}}}',
  '{"server_keys":{"a\\u0062":{}}}',
  '{"server_keys":{"a\n":{}}}',
  '{"server_keys":{"ä":{}}}',
  '{"server_keys":{"a":[]}}',
  '{"server_keys":{"a":{},"b":{},"c":{},"d":{}}}',
  '{"server_keys":{"a":{"k":{},"l":{},"m":{}}}}',
  '{"server_keys":{"a":{"k":{},"l":{}},"b":{"k":{},"l":{}},"c":{"k":{}}}}',
  '{"server_keys":{"a":{"k":{"minimum_valid_until_ts":1',
  '{"server_keys":{"a',
  '',
];

/** The outcome of a body as a text, errors included. The order of names has no meaning, so it is levelled out. */
function outcomeOf(read: () => readonly ServerQuery[]): string {
  try {
    const asked = read().flatMap(({ serverName, keys }) => [
      serverName,
      ...keys.map(({ keyId, minimumValidUntilTs }) => `${serverName} ${keyId} ${minimumValidUntilTs}`),
    ]);
    return JSON.stringify(asked.sort((a, b) => (a < b ? -1 : 1)));
  } catch (error) {
    return String(error);
  }
}

const BYTES = ['{', '}', '"', ':', ',', '\\', ' ', '0', '1', '9', '-', '.', 'a', 'é', '\n'];

/** The text with something put in or put in place of a character, at every place. */
function* mutantsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += 1) {
    for (const inserted of BYTES) {
      yield text.slice(0, at) + inserted + text.slice(at);
      yield text.slice(0, at) + inserted + text.slice(at + 1);
    }
  }
}

describe('plain bodies of key queries (SPEC §4.3)', () => {
  it.each(PLAIN)('%s is read without the strict parser, with the same result', (text) => {
    const plain = readPlainKeyQuery(Buffer.from(text), LIMITS);

    expect(plain).toEqual(parseKeyQueryBody(Buffer.from(text), LIMITS, false));
  });

  it.each(NOT_PLAIN)('%s is left to the strict parser', (text) => {
    expect(readPlainKeyQuery(Buffer.from(text), LIMITS)).toBeNull();
  });

  it('is never read differently from what the strict parser reads, whatever is put where', () => {
    let plain = 0;
    for (const mutant of PLAIN.flatMap((text) => [...mutantsOf(text)])) {
      const read = readPlainKeyQuery(Buffer.from(mutant), LIMITS);
      if (read === null) continue;
      plain += 1;
      const strict = outcomeOf(() => parseKeyQueryBody(Buffer.from(mutant), LIMITS, false));
      expect({ mutant, outcome: outcomeOf(() => read) }).toEqual({ mutant, outcome: strict });
    }
    expect(plain).toBeGreaterThan(100);
  });
});
