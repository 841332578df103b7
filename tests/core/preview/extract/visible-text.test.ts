import { describe, expect, it } from 'vitest';
import {
  codePoints,
  cutAtWord,
  firstCodePoints,
  visibleText,
} from '../../../../src/core/preview/extract/values.js';

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

  it.each([
    '<br>: The Line Break element',
    '`<br>`: The Line Break element',
    'How to close a <div> with </div>',
    'What does &nbsp; mean?',
    'Difference between <b> and <strong>',
    '<div>s and <span>s',
    'Why does <div>text</div> not center?',
    'How to use <a target="_blank"> safely',
    'The <br> HTML element breaks a line',
    '&lt; and &gt; explained',
  ])('keeps a text about HTML whole: %s', (text) => {
    expect(visibleText(text)).toBe(text);
  });

  it.each([
    ['<p>Some text</p>', 'Some text'],
    ['One<br />two', 'One two'],
    ['<h2>Hello</h2><p>We are', 'Hello We are'],
    ['<a href="/x">Link</a> text', 'Link text'],
    ['&lt;p&gt;Hello&lt;/p&gt;', 'Hello'],
  ])('removes the markup of %s', (text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it.each([
    ['Fish &amp; Chips', 'Fish & Chips'],
    ['A &#8211; B', 'A – B'],
    ['it&#8217;s &nbsp; here', 'it’s here'],
  ])('repairs the double escapes of %s', (text, expected) => {
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
