import { describe, expect, it } from 'vitest';

import { isUserId } from '../../../../src/core/notary/federation/server-name.js';

describe('isUserId', () => {
  it.each([
    '@alice:example.org',
    '@a:b',
    '@Old/Style=+1:example.org:8448',
    '@a:[2001:db8::1]',
    '@a:192.0.2.1',
  ])('%s is one', (text) => {
    expect(isUserId(text)).toBe(true);
  });

  it.each([
    '',
    'alice',
    '@alice',
    '@:example.org',
    'alice:example.org',
    '@a b:c',
    '@a\n:b',
    '@a:b c',
    '@a:',
    '@ä:b',
    `@${'a'.repeat(254)}:b`,
  ])('%j is none', (text) => {
    expect(isUserId(text)).toBe(false);
  });
});
