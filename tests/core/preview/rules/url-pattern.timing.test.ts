import { describe, expect, it } from 'vitest';

import { compileUrlPattern } from '../../../../src/core/preview/rules/url-rules.js';

// Outcomes as of Python's fnmatch.fnmatchcase and re.match, which SPEC §4.7.1 describes.
const CASES: [pattern: string, value: string, matches: boolean][] = [
  ['*.example.org', 'www.example.org', true],
  ['*.example.org', 'example.org', false],
  ['example.org', 'EXAMPLE.org', false],
  ['/a/*', '/a/b/c', true],
  ['/a?b', '/a/b', true],
  ['a*b*c', 'aXbYbZc', true],
  ['a*b*c', 'aXbYbZ', false],
  ['*', '', true],
  ['?', '', false],
  ['?', '😀', true],
  ['[abc]x', 'bx', true],
  ['[!abc]x', 'bx', false],
  ['[!abc]x', 'dx', true],
  ['[a-c]', 'b', true],
  ['[a-c]', '-', false],
  ['[a-]', '-', true],
  ['[]]', ']', true],
  ['[!]]', ']', false],
  ['[', '[', true],
  ['[abc', '[abc', true],
  ['[!]', '[!]', true],
  ['\\*', '\\anything', true],
  ['{a,b}', 'a', false],
  ['a.c', 'abc', false],
  ['line*', 'line\nnext', true],
  ['^ex.mple', 'example.org', true],
  ['^mple', 'example.org', false],
  ['^a$', 'ab', false],
  ['^(?i)EXAMPLE', 'example.org', true],
];

describe('SPEC §4.7.1 patterns', () => {
  it.each(CASES)('%j on %j gives %j', (pattern, value, matches) => {
    const test = compileUrlPattern(pattern);

    expect(test(value)).toBe(matches);
  });

  it.each(['^(?=a)', '^(a)\\1', '^(', '^a(?<!b)'])('%j is refused when compiled', (pattern) => {
    expect(() => compileUrlPattern(pattern)).toThrow(Error);
  });

  it.each(['^(a+)+$', `${'a*'.repeat(999)}b`])('%s takes bounded time on hostile text', (pattern) => {
    const value = 'a'.repeat(20_000);

    const started = performance.now();
    const matched = compileUrlPattern(pattern)(`${value}!`);

    expect(matched).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
