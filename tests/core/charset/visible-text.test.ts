import { describe, expect, it } from 'vitest';
import {
  codePoints,
  cutAtWord,
  firstCodePoints,
  visibleText,
} from '../../../src/core/charset/visible-text.js';

describe('visibleText', () => {
  it.each([
    ['collapses all kinds of blanks', ' a\u00a0\t\n\u2003b ', 'a b'],
    ['removes controls and lone surrogates', 'a\u0000\u0007b\ud800c', 'abc'],
    ['removes direction marks and overrides', 'a\u202e\u2067\u200fb', 'ab'],
    ['keeps joiners and variation selectors', '👩\u200d🚀 ❤\ufe0f', '👩\u200d🚀 ❤\ufe0f'],
    ['decodes a double escape once', '&amp;amp; &amp;#39;', '&amp; &#39;'],
    ['leaves a lone tag', 'the <p> tag', 'the <p> tag'],
    ['removes tags that are closed', '<p class="a">x<br>y</p>', 'x y'],
  ])('%s', (_rule, text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });
});

describe('cutting', () => {
  it('counts and cuts code points', () => {
    expect(codePoints('a😀\ud800')).toBe(3);
    expect(firstCodePoints('😀😀😀', 2)).toBe('😀😀');
  });

  it('cuts at the end of a word, with one ellipsis inside the limit', () => {
    expect(cutAtWord('one two three', 13)).toBe('one two three');
    expect(cutAtWord('one two three', 12)).toBe('one two…');
    expect(cutAtWord('one two three', 8)).toBe('one two…');
  });

  it('splits a word when no word ends in the second half', () => {
    expect(cutAtWord('a bbbbbbbbbbbbbbbbbbbb', 10)).toBe('a bbbbbbb…');
  });
});
