import { describe, expect, it } from 'vitest';

import { nextOf } from '../../web-admin/src/pages/sign-in/next-of.js';
import { instantOf } from '../../web-admin/src/ui/filter/instant.js';
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
  it.each(['2026-11-20', '2026-11-20T12:00', '2026-11-20T12:00:30'])('is %s in UTC', (text) => {
    expect(instantOf(text)).toContain(text);
  });

  it.each([
    '',
    'yesterday',
    '2026',
    '2026-02-31',
    '2026-02-31T00:00',
    '2026-11-20T24:00',
    '2026-11-20T12:00Z',
  ])('is not "%s"', (text) => {
    expect(instantOf(text)).toBeNull();
  });
});
