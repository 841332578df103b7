import { describe, expect, it } from 'vitest';

import { type UrlRule, UrlRules } from '../../../../src/core/preview/rules/url-rules.js';

const isBlocked = (rule: UrlRule, url: string): boolean => new UrlRules([rule]).match(url) !== null;

const CASES: [rule: UrlRule, url: string, blocked: boolean][] = [
  [{ username: '*' }, 'http://u@h/', true],
  [{ username: '*' }, 'http://h/', false],
  [{ netloc: '*.g.com' }, 'http://g.com/', false],
  [{ netloc: '*.g.com' }, 'http://a.b.g.com/', true],
  [{ scheme: 'http', path: '/p*' }, 'http://h/p/x/y', true],
  [{ scheme: 'http', path: '/p*' }, 'https://h/p/x/y', false],
  [{ port: '1[23]' }, 'http://h:12/', true],
  [{ port: '1[23]' }, 'http://h:14/', false],
  [{ port: '1[23]' }, 'http://h/', false],
  [{ netloc: '^127\\.' }, 'http://127.0.0.1:8080/', true],
  [{ port: '80' }, 'http://h:80/', true],
  [{ query: '' }, 'http://h/', true],
  [{ password: '*' }, 'http://u@h/', false],
  [{ path: '/' }, 'http://h', true],
];

const SPELLINGS = [
  'http:evil.example',
  'http:/evil.example',
  'http:///evil.example',
  'http:\\\\evil.example',
  'http://ev%69l.example/',
  'http://ev\u00ADil.example/',
  'http://\uFF45vil.example/',
  'http://evil\u3002example/',
  'http://evil.example./',
  'http://EVIL.example/',
  'http://u:p@evil.example:80/',
  '  http://evil.example/',
  'http://evil.exa\tmple/',
];

describe('SPEC §4.7.1 URL rules', () => {
  it.each(CASES)('%j on %s: %j', (rule, url, blocked) => {
    expect(isBlocked(rule, url)).toBe(blocked);
  });

  it.each(SPELLINGS)('a hostname rule holds for the spelling %j', (url) => {
    expect(isBlocked({ hostname: 'evil.example' }, url)).toBe(true);
  });

  it('name the first entry that matches', () => {
    const rules = new UrlRules([{ hostname: 'x' }, { scheme: 'http', hostname: 'h*' }, { hostname: '*' }]);

    expect(rules.match('http://host/')).toEqual({ index: 1, rule: '{"scheme":"http","hostname":"h*"}' });
    expect(rules.match('mailto:x')).toBeNull();
  });

  it('hold for what passed under the rules before', () => {
    const rules = new UrlRules([{ hostname: 'x' }]);
    expect([rules.match('http://h/'), rules.match('http://h/')]).toEqual([null, null]);

    rules.replace([{ hostname: 'h' }]);
    expect(rules.match('http://h/')).toEqual({ index: 0, rule: '{"hostname":"h"}' });

    rules.replace([]);
    expect(rules.match('http://h/')).toBeNull();
  });

  it('a URL that cannot be split is told apart, even without rules', () => {
    expect(new UrlRules([]).match('http://[::1')).toBe('unsplittable');
    expect(new UrlRules([]).match('http://h/')).toBeNull();
  });
});
