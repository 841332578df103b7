import { describe, expect, test } from 'vitest';
import {
  encodeCanonicalJsonBytes,
  JsonFloat,
  type JsonValue,
} from '../../../../src/core/base/json/json-value.js';
import { parseStrictJson } from '../../../../src/core/base/json/strict-json.js';
import { fuzzedPairs, pythonMissing, readVectors } from '../../../support/json-vectors.js';

const canonical = (text: string) => encodeCanonicalJsonBytes(parseStrictJson(Buffer.from(text))).toString();

describe('examples of the Matrix spec, appendix Canonical JSON', () => {
  test.each([
    ['{}', '{}'],
    ['{ "one": 1, "two": "Two" }', '{"one":1,"two":"Two"}'],
    ['{ "b": "2", "a": "1" }', '{"a":"1","b":"2"}'],
    ['{"b":"2","a":"1"}', '{"a":"1","b":"2"}'],
    [
      `{"auth": {"success": true, "mxid": "@john.doe:example.com", "profile": {"display_name": "John Doe",
        "three_pids": [{"medium": "email", "address": "john.doe@example.org"}, {"medium": "msisdn", "address": "123456789"}]}}}`,
      '{"auth":{"mxid":"@john.doe:example.com","profile":{"display_name":"John Doe","three_pids":[{"address":"john.doe@example.org","medium":"email"},{"address":"123456789","medium":"msisdn"}]},"success":true}}',
    ],
    ['{ "a": "日本語" }', '{"a":"日本語"}'],
    ['{ "本": 2, "日": 1 }', '{"日":1,"本":2}'],
    ['{ "a": "\\u65E5" }', '{"a":"日"}'],
    ['{ "a": null }', '{"a":null}'],
  ])('%s', (text, wanted) => {
    expect(canonical(text)).toBe(wanted);
  });
});

describe('order and escapes', () => {
  test('members are sorted by code point, not by UTF-16 unit', () => {
    expect(canonical('{"\u{10000}":1,"\uff61":2,"\ue000":3,"a":4}')).toBe(
      '{"a":4,"\ue000":3,"\uff61":2,"\u{10000}":1}',
    );
  });

  test('members that look like numbers are sorted as text', () => {
    expect(canonical('{"9":1,"10":2,"1":3}')).toBe('{"1":3,"10":2,"9":1}');
  });

  test('only quote, backslash and control characters are escaped, the latter shortest', () => {
    expect(canonical('"\\u0001\\b\\t\\n\\f\\r\\u001F\\"\\\\\\/\\u007f\\u2028"')).toBe(
      '"\\u0001\\b\\t\\n\\f\\r\\u001f\\"\\\\/\u007f\u2028"',
    );
  });

  test('integers beyond 2^53 keep every digit', () => {
    expect(canonical('[1152921504606846977,-1000000000000000000000,0]')).toBe(
      '[1152921504606846977,-1000000000000000000000,0]',
    );
  });

  test('__proto__ is a member like any other', () => {
    expect(canonical('{"b":1,"__proto__":{"x":1}}')).toBe('{"__proto__":{"x":1},"b":1}');
  });
});

describe('values without canonical form are refused', () => {
  test.each<[string, JsonValue, string]>([
    ['fraction', 1.5, 'json_float'],
    ['-0', -0, 'json_float'],
    ['NaN', Number.NaN, 'json_float'],
    ['number beyond 2^53-1', 2 ** 53, 'json_float'],
    ['kept float', [new JsonFloat('1.0')], 'json_float'],
    ['lone surrogate in a value', '\ud800', 'json_lone_surrogate'],
    ['lone surrogate in a name', { '\udc00': 1 }, 'json_lone_surrogate'],
    ['undefined member', { a: undefined as unknown as JsonValue }, 'json_undefined'],
  ])('%s', (_name, value, reason) => {
    expect(() => encodeCanonicalJsonBytes(value)).toThrow(expect.objectContaining({ status: 500, reason }));
  });

  test('a million levels, without exhausting the stack', () => {
    let value: JsonValue = [];
    for (let i = 0; i < 1_000_000; i++) value = [value];
    expect(() => encodeCanonicalJsonBytes(value)).toThrow(expect.objectContaining({ reason: 'json_depth' }));
  });
});

const mismatches = (pairs: [string, string][]) =>
  pairs.filter(([text, wanted]) => canonical(text) !== wanted || canonical(wanted) !== wanted);

describe('against python3-canonicaljson', () => {
  test('150 committed objects have the same canonical bytes, which are their own canonical form', () => {
    const pairs = readVectors('json/canonical.json') as [string, string][];
    expect(pairs).toHaveLength(150);
    expect(mismatches(pairs)).toEqual([]);
  });

  test('2,000 fresh objects have the same canonical bytes', ({ skip }) => {
    const missing = pythonMissing();
    if (missing !== null) skip(missing);
    const seed = Math.trunc(Math.random() * 2 ** 31);
    expect(mismatches(fuzzedPairs(seed, 2000)), `seed ${seed}`).toEqual([]);
  });
});
