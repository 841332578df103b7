import { runInNewContext } from 'node:vm';

import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import { JsonFloat } from '../../../../src/core/base/json/json-value.js';
import { parseStrictJson, type StrictJsonOptions } from '../../../../src/core/base/json/strict-json.js';
import { readVectors } from '../../../support/json-vectors.js';

const parse = (text: string, options?: StrictJsonOptions) => parseStrictJson(Buffer.from(text), options);

function refusalOf(bytes: Uint8Array | string, options?: StrictJsonOptions): ApiError | null {
  try {
    parseStrictJson(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, options);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const reasonOf = (bytes: Uint8Array | string, options?: StrictJsonOptions) =>
  refusalOf(bytes, options)?.reason ?? null;

describe('values', () => {
  test.each([
    ['null', null],
    ['true', true],
    [' \t\r\n false \n', false],
    ['0', 0],
    ['-1', -1],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['1180591620717411303424', 2n ** 70n],
    ['""', ''],
    ['"a\\"\\\\\\/\\b\\f\\n\\r\\tz"', 'a"\\/\b\f\n\r\tz'],
    ['"\\u0041\\u00e9\\uD83D\\ude00"', 'Aé😀'],
    ['"é😀\u007f\u2028"', 'é😀\u007f\u2028'],
    ['[]', []],
    ['[1,[2,"x"],null]', [1, [2, 'x'], null]],
  ])('%s is read exactly', (text, value) => {
    expect(parse(text)).toStrictEqual(value);
  });

  test('an integer of 400 digits is exact, one of 401 is refused', () => {
    const digits = '7'.repeat(400);
    expect(parse(digits)).toBe(BigInt(digits));
    expect(reasonOf(`${digits}7`)).toBe('json_number_length');
    expect(reasonOf(`1.${digits}`, { floats: 'keep' })).toBe('json_number_length');
  });

  test('objects have no prototype and __proto__ is an ordinary member', () => {
    const value = parse('{"__proto__":{"polluted":1},"constructor":2,"toString":3}') as Record<
      string,
      unknown
    >;
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('refusals', () => {
  test.each(
    [
      ['', ' ', '{', '[', '"', '"a', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '[1,]', '[,1]', '{,}'],
      ['[1 2]', '{a:1}', "{'a':1}", '{1:1}', '{"a" 1}', '{"a":1 "b":2}', '1 2', '{} x', ']', '}', ','],
      [
        'nul',
        'nulll',
        'True',
        'NaN',
        'Infinity',
        '-Infinity',
        '-',
        '+1',
        '.5',
        '01',
        '-01',
        '1.',
        '1e',
        '1e+',
      ],
      [
        '0x10',
        '1_000',
        '"\\x"',
        '"\\N"',
        '"\\U0041"',
        '"\\u12"',
        '"\\u00g0"',
        '"a\nb"',
        '"\u0000"',
        '"\\',
        '"\\u',
      ],
      ['//c\n1', '/**/1', '\ufeff{}', '\u00a01', '\v1'],
    ].flat(),
  )('%j is not JSON', (text) => {
    expect(reasonOf(text, { floats: 'keep' })).toBe('json_syntax');
  });

  test.each([
    ['{"a":1,"a":1}'],
    ['{"verify_keys":1,"verify\\u005fkeys":2}'],
    ['{"__proto__":1,"__proto__":2}'],
    ['{"a":null,"b":0,"a":null}'],
    ['{"x":{"1":1,"1":2}}'],
  ])('%s: a member twice, however spelled', (text) => {
    expect(reasonOf(text)).toBe('json_duplicate_member');
  });

  test.each(['"\\ud800"', '"\\udc00"', '"\\ude00\\ud83d"', '"\\ud83dx"', '"\\ud83d\\n"', '{"\\ud800":1}'])(
    '%s: surrogate without partner',
    (text) => {
      expect(reasonOf(text)).toBe('json_lone_surrogate');
    },
  );

  test.each(['1.0', '1e3', '1E3', '0.5', '-1.5e-7', '1e400', '0e0'])(
    '%s is a float: refused, or kept as text',
    (text) => {
      expect(reasonOf(text)).toBe('json_float');
      expect(parse(`[${text}]`, { floats: 'keep' })).toStrictEqual([new JsonFloat(text)]);
    },
  );

  test('-0 is refused, or kept as text', () => {
    expect(reasonOf('[-0]')).toBe('json_negative_zero');
    expect(parse('-0', { floats: 'keep' })).toStrictEqual(new JsonFloat('-0'));
  });

  test.each([
    ['unexpected byte', [0x22, 0xff, 0x22]],
    ['cut sequence', [0x22, 0xc3, 0x22]],
    ['overlong', [0x22, 0xc0, 0xaf, 0x22]],
    ['encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('%s is not UTF-8', (_name, bytes) => {
    expect(reasonOf(Uint8Array.from(bytes))).toBe('json_not_utf8');
  });
});

test('a refusal is 400 M_NOT_JSON with the fixed text; the place stands in the detail only', () => {
  expect(refusalOf('{"a":tru}')).toMatchObject({
    status: 400,
    errcode: 'M_NOT_JSON',
    message: 'Content not JSON.',
    detail: 'unexpected character at character 5',
  });
});

describe('depth', () => {
  test.each(['[', '{"a":'])('64 levels of %s are read, 65 are refused', (open) => {
    const close = open === '[' ? ']' : '}';
    expect(reasonOf(open.repeat(64) + '1' + close.repeat(64))).toBeNull();
    expect(reasonOf(open.repeat(65) + '1' + close.repeat(65))).toBe('json_depth');
  });

  test.each([10_000, 4_000_000])('%i levels are refused without reading on', (levels) => {
    const text = '['.repeat(levels);
    const start = process.cpuUsage();
    expect(reasonOf(text)).toBe('json_depth');
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(1_000_000);
  });
});

test('hostile shapes of one megabyte cost at most a second of CPU', () => {
  const names = Array.from({ length: 60_000 }, (_, i) => `"k${i}":${i}`).join(',');
  const texts = [
    `{${names}}`,
    `[${'"\\u0041",'.repeat(100_000)}1]`,
    `"${'\\n'.repeat(500_000)}"`,
    `[${'7'.repeat(400)}${`,${'7'.repeat(400)}`.repeat(2400)}]`,
    `${' '.repeat(1_000_000)}1`,
    '7'.repeat(1_000_000),
  ];
  for (const text of texts) {
    const start = process.cpuUsage();
    reasonOf(text);
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(1_000_000);
  }
});

test('20,000 damaged texts: nothing passes that JSON.parse refuses, and what passes has the same value', () => {
  const random = mulberry32(7);
  const seeds = readVectors('json/canonical.json') as [string, string][];
  let passed = 0;
  for (let i = 0; i < 20_000; i++) {
    const text = Buffer.from(damaged(seeds[i % seeds.length]?.[i % 2] ?? '', random)).toString();
    if (refusalOf(text, { floats: 'keep' }) !== null) continue;
    passed++;
    const ours = JSON.stringify(parse(text, { floats: 'keep' }), plainNumber);
    const theirs = JSON.stringify(withoutPrototypes(JSON.parse(text)));
    expect(ours).toBe(ours === theirs ? theirs : JSON.stringify(withoutPrototypes(parsedAlone(text))));
  }
  expect(passed).toBeGreaterThan(1000);
});

/**
 * `JSON.parse` of a realm that has parsed nothing yet: with Node 24.21 it takes an escaped member name for
 * the name without its escape that an object of the same shape had before.
 */
function parsedAlone(text: string): unknown {
  return runInNewContext('JSON.parse(text)', { text });
}

test.each([
  ['{"q":0,"ab\\\\":1}', '{"q":0,"ab\\n":1}', 'ab\n'],
  ['{"r":0,"\\\\u":1}', '{"r":0,"\\u0041B":1}', 'AB'],
])('after %s, %s keeps the name it states', (before, text, name) => {
  parse(before);
  JSON.parse(before);
  expect(Object.keys(parse(text) as object)[1]).toBe(name);
});

function damaged(text: string, random: () => number): string {
  const at = Math.floor(random() * (text.length + 1));
  const bit = '{}[],:"\\u0dD9-+.eE1 tn\n'.charAt(Math.floor(random() * 24));
  const kind = random();
  if (kind < 0.4) return text.slice(0, at) + bit + text.slice(at);
  return kind < 0.7 ? text.slice(0, at) + text.slice(at + 1) : text.slice(0, at) + bit + text.slice(at + 1);
}

function plainNumber(_name: string, value: unknown): unknown {
  if (value instanceof JsonFloat) return Number(value.text);
  return typeof value === 'bigint' ? Number(value) : value;
}

function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [name, member] of Object.entries(value)) copy[name] = withoutPrototypes(member);
  return copy;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
