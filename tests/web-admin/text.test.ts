import { describe, expect, it } from 'vitest';

import { exactTime, relativeTime, spanWords } from '../../web-admin/src/ui/text/time-words.js';
import { cutMiddle, splitAtMarks, writeMarks } from '../../web-admin/src/ui/text/visible-marks.js';

describe('untrusted text', () => {
  it.each([
    ['right-to-left override', 'gpj.\u202Eexe', 'gpj.⟨U+202E⟩exe'],
    ['isolate', '\u2066a\u2069', '⟨U+2066⟩a⟨U+2069⟩'],
    ['zero-width space', 'pay\u200Bpal', 'pay⟨U+200B⟩pal'],
    ['NUL and escape', 'a\u0000\u001Bb', 'a⟨U+0000⟩⟨U+001B⟩b'],
    ['tag characters', `a${String.fromCodePoint(0xe0041)}`, 'a⟨U+E0041⟩'],
    ['line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
  ])('shows %s as a mark', (_name, text, shown) => {
    expect(writeMarks(text)).toBe(shown);
  });

  it('leaves scripts, accents and joined pictographs alone', () => {
    for (const text of ['שלום', 'e\u0301', '👩\u200D👩\u200D👧', '字', 'a b']) {
      expect(splitAtMarks(text)).toEqual([{ kind: 'text', text }]);
    }
  });

  it('marks a joiner that joins nothing drawn', () => {
    expect(writeMarks('a\u200Db')).toBe('a⟨U+200D⟩b');
  });

  it('is cut in the middle, never inside a character, with both ends in view', () => {
    expect(cutMiddle('short', 10)).toBe('short');
    expect(cutMiddle('https://example.org/a/very/long/path', 20)).toBe('https://exam…ng/path');
    const cut = cutMiddle('😀'.repeat(50), 11);
    expect(Array.from(cut)).toHaveLength(11);
    expect(cut).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('times', () => {
  const now = Date.UTC(2026, 10, 20, 12);

  it.each([
    [now - 3_000, 'just now'],
    // Younger than the last tick of the clock of the pages.
    [now + 12_000, 'just now'],
    [now - 180_000, '3 min ago'],
    [now + 41 * 60_000, 'in 41 min'],
    [now + 30 * 3_600_000, 'in 1 d 6 h'],
    [now - 400 * 86_400_000, '1 y 35 d ago'],
  ])('%d reads "%s"', (ts, words) => {
    expect(relativeTime(ts, now)).toBe(words);
  });

  it('are exact in UTC, and null beyond the calendar', () => {
    expect(exactTime(now)).toBe('2026-11-20 12:00:00');
    expect(exactTime(Number.MAX_SAFE_INTEGER)).toBeNull();
    expect(spanWords(850)).toBe('850 ms');
  });
});
