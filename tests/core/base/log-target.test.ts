import { describe, expect, it } from 'vitest';

import { redactTarget } from '../../../src/core/base/logger.js';

const logged = (url: string): string | undefined =>
  redactTarget(`/_svc/media/v3/preview_url?url=${encodeURIComponent(url)}&ts=1`).split('?url=')[1];

describe('the address of a preview in a log line', () => {
  it.each([
    ['https://site.test/page?secret=1#part', 'site.test'],
    ['http://site.test:8080/page', 'site.test:8080'],
    ['https://alice:hush@site.test/x', 'site.test'],
    ['https://Bücher.test/', 'xn--bcher-kva.test'],
    ['https://secret\\@site.test/', 'secret'],
    ['', '[redacted]'],
    ['data:text/plain,secret', '[redacted]'],
  ])('%j is its host alone: %s', (url, host) => {
    expect(logged(url)).toBe(host);
  });
});

describe('a path in a log line', () => {
  it.each([
    ['/_svc/media/access_token=hush', '/_svc/media/[redacted]'],
    ['/_svc/media/access_token%3Dhush/x?y=1', '/_svc/media/[redacted]/x?y=[redacted]'],
    ['/_svc/media/Bearer%20hush', '/_svc/media/[redacted]'],
    ['/_svc/syt_abcdefgh12345678;x', '/_svc/[redacted];x'],
    ['/_svc/key/v2/query/example.org', '/_svc/key/v2/query/example.org'],
    [
      '/_svc/media/v3/download/a.example/2026-11-22_abcdef',
      '/_svc/media/v3/download/a.example/2026-11-22_abcdef',
    ],
  ])('%s has no token: %s', (target, shown) => {
    expect(redactTarget(target)).toBe(shown);
  });
});

describe('a query in a log line', () => {
  it.each([
    ['x=vid_abcdefgh12345678', 'x=[redacted]'],
    ['password=hush&KEY=hush', 'password=[redacted]&KEY=[redacted]'],
    ['hush', '[redacted]'],
    ['width=96&height=32&method=crop', 'width=96&height=32&method=crop'],
    ['minimum_valid_until_ts=-1785000000000', 'minimum_valid_until_ts=-1785000000000'],
  ])('shows no value that may be a secret: %s', (query, shown) => {
    expect(redactTarget(`/_svc/x?${query}`)).toBe(`/_svc/x?${shown}`);
  });

  it.each(['"', 'é', 'a', '%22'])('ends after 500 characters, here of %s', (character) => {
    const shown = redactTarget(`/${character.repeat(8000)}`);
    expect(shown).toHaveLength(501);
    expect(shown.endsWith('…')).toBe(true);
  });

  it('ends after twenty parameters', () => {
    expect(redactTarget(`/x?${'a&'.repeat(8000)}`).length).toBeLessThan(300);
  });
});

describe('a target that is no path', () => {
  it.each([
    ['ftp://alice:hush@site.test/', '[redacted]'],
    ['hush', '[redacted]'],
    ['*', '*'],
  ])('%s in a log line is %s', (target, shown) => {
    expect(redactTarget(target)).toBe(shown);
  });
});
