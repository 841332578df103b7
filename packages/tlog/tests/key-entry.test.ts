import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import { encodeKeyEntry, readKeyEntry } from '../src/index.js';
import { encodeCanonicalJson, parseCanonicalJson } from '../src/canonical-json.js';

const SHA256 = 'ab'.repeat(32);
const ABOUT = { event: 'record', serverName: 'a.example', recordSha256: SHA256, observedTs: 7 } as const;

describe('an entry of the log (SPEC §4.15.5)', () => {
  it('is canonical JSON with keys as published, of all algorithms, and an exact validity', () => {
    const record = {
      valid_until_ts: 9007199254740993n,
      server_name: 'a.example',
      verify_keys: {
        'ed25519:é': { key: 'AA==', more: 1 },
        'other:1': { key: 'x' },
        'odd:2': 5,
        'odd:3': {},
      },
      old_verify_keys: {
        'ed25519:b': { key: 'B', expired_ts: 5 },
        'odd:4': { key: 'C', expired_ts: 'x' },
      },
    };
    expect(encodeKeyEntry(ABOUT, record).toString()).toBe(
      '{"event":"record","observed_ts":7,' +
        '"old_verify_keys":{"ed25519:b":{"expired_ts":5,"key":"B"},"odd:4":{"key":"C"}},' +
        `"record_sha256":"${SHA256}","server_name":"a.example","valid_until_ts":9007199254740993,` +
        '"verify_keys":{"ed25519:é":{"key":"AA=="},"other:1":{"key":"x"}},"version":1}',
    );
  });

  it('leaves the keys to the record when it would be too large for a bundle', () => {
    const entryOf = (idLength: number) => {
      const ids = Array.from({ length: 250 }, (_, index) => String(index).padStart(idLength, '_'));
      const keys = Object.fromEntries(ids.map((id) => [id, { key: 'A'.repeat(43), expired_ts: 1 }]));
      return encodeKeyEntry(ABOUT, { valid_until_ts: 1, old_verify_keys: keys }).toString();
    };
    expect(entryOf(100)).toContain('"old_verify_keys":');
    expect(entryOf(240)).toBe(
      `{"event":"record","observed_ts":7,"record_sha256":"${SHA256}","server_name":"a.example","valid_until_ts":1,"version":1}`,
    );
  });

  it('is read from canonical JSON only', () => {
    const entry = encodeKeyEntry(ABOUT, { valid_until_ts: 5 });
    expect(readKeyEntry(entry)).toMatchObject(ABOUT);
    for (const other of [
      entry.toString().replace(',', ', '),
      entry.toString().replace('"record"', '"recorded"'),
      entry.toString().replace('{', '{"a":1.5,'),
      `${entry.toString()} `,
      '[]',
      '',
    ])
      expect(readKeyEntry(Buffer.from(other))).toBeNull();
    expect(readKeyEntry(Buffer.concat([entry, Buffer.from([0xff])]))).toBeNull();
  });
});

describe('canonical JSON', () => {
  it.each([
    '{}',
    '[]',
    'true',
    '-5',
    '"é\u2028"',
    '{"a":[1,{"b":null}],"b":123456789012345678901234567890}',
    // By code point, and not by UTF-16 unit.
    '{"\ufb00":1,"\ud83d\ude00":2}',
    '{"__proto__":1,"constructor":{}}',
  ])('%s is read and written the same', (text) => {
    expect(encodeCanonicalJson(parseCanonicalJson(text))).toBe(text);
  });

  it('has one form', () => {
    const objects = [' {}', '{"b":1,"a":1}', '{"a":1,"a":1}', '{"a":1,}', '[1 ]', '{"a"}'];
    const values = ['1.0', '1e3', '-0', '01', String.raw`"\u0041"`, String.raw`"\ud800"`, 'undefined'];
    const texts = [...objects, ...values, '['.repeat(600) + ']'.repeat(600)];
    expect(texts.filter((text) => parseCanonicalJson(text) !== null)).toEqual([]);
  });
});
