import { expect, it } from 'vitest';

import { entryOf, readPattern } from '../../../../src/core/operators/blocking/added-rules.js';
import { UrlRules } from '../../../../src/core/preview/rules/url-rules.js';

it.each([
  [
    'example.org',
    ['http://example.org/a', 'https://EXAMPLE.org:8443/', 'http://example.org./'],
    ['http://a.example.org/'],
  ],
  [
    '.example.org',
    ['http://example.org/', 'http://a.b.example.org/x', 'http://a.example.org.'],
    ['http://badexample.org/'],
  ],
  ['https://Example.org/page', ['http://example.org/other'], ['http://a.example.org/page']],
  [
    '*.example.org/ads/*',
    ['http://a.example.org/ads/1'],
    ['http://a.example.org/news', 'http://example.org/ads/1'],
  ],
  ['münchen.example', ['http://xn--mnchen-3ya.example/', 'http://münchen.example/'], ['http://example/']],
])('%s is read and refuses what it says', (typed, refused, allowed) => {
  const rules = new UrlRules([entryOf(readPattern(typed))]);
  for (const url of refused) expect([url, rules.match(url)]).not.toEqual([url, null]);
  for (const url of allowed) expect([url, rules.match(url)]).toEqual([url, null]);
});

it.each(['', '*', '**/*', '.', 'a b', 'a\u202eb', 'http://', 'a'.repeat(501)])('%j is refused', (typed) => {
  expect(() => readPattern(typed)).toThrow(expect.objectContaining({ reason: 'bad_pattern' }));
});
