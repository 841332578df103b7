import { describe, expect, it } from 'vitest';

import { nextOf } from '../../web-admin/src/pages/sign-in/next-of.js';
import { brokenNameRule } from '../../web-admin/src/pages/server/server-name-rule.js';
import { instant, instantOf } from '../../web-admin/src/ui/filter/instant.js';
import { readQualifiers } from '../../web-admin/src/ui/filter/qualifiers.js';

describe('where sign-in leads back to', () => {
  it.each([
    ['?next=%2Fkeys%3Fstate%3DDUE', '/keys?state=DUE'],
    ['', '/'],
    ['?next=https%3A%2F%2Fevil.example', '/'],
    ['?next=%2F%2Fevil.example', '/'],
    ['?next=%2F%5Cevil.example', '/'],
    ['?next=javascript%3Aalert(1)', '/'],
    ['?next=%2Fsign-in%3Fnext%3D%2Fsign-in', '/'],
  ])('%s leads to %s, never elsewhere', (search, path) => {
    expect(nextOf(search)).toBe(path);
  });
});

describe('typed qualifiers', () => {
  const set: string[] = [];
  const known = {
    state: (value: string) => (value === 'expired' ? () => void set.push(`state ${value}`) : null),
    host: (value: string) => () => void set.push(`host ${value}`),
  };

  it('leave the words when they are known', () => {
    const { words, changes } = readQualifiers('cats state:expired HOST:"a b" dogs', known);
    expect(words).toBe('cats dogs');
    for (const change of changes.values()) change();
    expect(set.splice(0)).toEqual(['state expired', 'host a b']);
  });

  it('stay words when their value is not understood', () => {
    expect(readQualifiers('cats state:old constructor:x', known)).toEqual({
      words: 'cats state:old constructor:x',
      changes: new Map(),
    });
  });

  it('stay words when unknown, as in a pasted URL', () => {
    expect(readQualifiers('https://example.org/a foo:bar', known)).toEqual({
      words: 'https://example.org/a foo:bar',
      changes: new Map(),
    });
  });
});

describe('an end of a time range', () => {
  it.each(['2026-11-20T12:00', '2026-11-20T12:00:30', '2026-11-20T12:00:30.5'])('is %s in UTC', (text) => {
    expect(instant().parse(text)).toBe(text);
    expect(instantOf(text)).toContain(text);
  });

  it.each([
    '',
    'yesterday',
    '2026',
    '2026-02-31T00:00',
    '2026-11-20T24:00',
    '2026-11-20T12:00Z',
    '+2026-11-20T12:00',
  ])('is not "%s", of which neither is anything shown nor anything sent', (text) => {
    expect(instant().parse(text)).toBe('');
    expect(instant().format(text)).toBeNull();
    expect(instantOf(text)).toBeNull();
  });
});

describe('the rule a server name breaks', () => {
  it.each(['example.org', 'example.org:8448', '192.0.2.1', '[2001:db8::1]:8448', 'xn--bcher-kva.example'])(
    'is none for %s',
    (name) => {
      expect(brokenNameRule(name)).toBeNull();
    },
  );

  it.each([
    ['a b.example', /letters, digits/],
    ['bücher.example', /xn--/],
    ['example.org:', /port/],
    ['example.org:99999', /65535/],
    ['2001:db8::1', /IPv6|port/],
    ['[zz]', /IPv6/],
    [':8448', /missing/],
    ['a'.repeat(256), /255/],
  ])('is named for %s', (name, rule) => {
    expect(brokenNameRule(name)).toMatch(rule);
  });
});
