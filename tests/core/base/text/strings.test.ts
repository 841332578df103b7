import { describe, expect, it } from 'vitest';

import { storableJsonText, storableText } from '../../../../src/core/base/text/strings.js';

const NUL = '\u0000';

describe('text for every database', () => {
  it('has no U+0000', () => {
    expect(storableText(`a${NUL}b${NUL}`)).toBe('a\uFFFDb\uFFFD');
  });

  it.each([
    ['values', { a: [`x${NUL}`, { b: NUL }] }, { a: ['x\uFFFD', { b: '\uFFFD' }] }],
    ['names', { [`n${NUL}`]: 1 }, { 'n\uFFFD': 1 }],
    ['what only looks like one', { a: '\\u0000', b: NUL }, { a: '\\u0000', b: '\uFFFD' }],
    ['one behind backslashes', { a: `\\\\${NUL}` }, { a: '\\\\\uFFFD' }],
    ['nothing', { a: 'ä☃"\\', b: null, c: 1 }, { a: 'ä☃"\\', b: null, c: 1 }],
  ])('as JSON has none either: %s', (_what, value, stored) => {
    expect(JSON.parse(storableJsonText(value))).toEqual(stored);
  });
});
