import { describe, expect, it } from 'vitest';

import { Privacy } from '../../../../src/core/access/operators/privacy.js';

const privacy = new Privacy({ hideOwners: 'auto', hideQueryStrings: 'auto' });

describe('an address as viewers see it', () => {
  it.each([
    ['https://a.test/path?token=1', 'https://a.test/path?…'],
    ['https://a.test/path#access_token=1', 'https://a.test/path#…'],
    ['https://a.test/?q=1#part', 'https://a.test/?…#…'],
    ['https://a.test/#part?not=query', 'https://a.test/#…'],
    ['https://alice:secret@a.test:8443/x', 'https://…@a.test:8443/x'],
    ['https://alice@b:secret@a.test/x', 'https://…@a.test/x'],
    ['https://a.test/@alice/post', 'https://a.test/@alice/post'],
    ['https://a.test?x=alice@b', 'https://a.test?…'],
    ['HTTPS://alice@a.test', 'HTTPS://…@a.test'],
    ['https://a.test/?', 'https://a.test/?'],
    ['https://a.test/\n?x=1', 'https://a.test/\n?…'],
    ['https:alice:secret@a.test/x', 'https:…@a.test/x'],
    ['https:/alice:secret@a.test/x', 'https:/…@a.test/x'],
    ['https:\\\\alice:secret@a.test', 'https:\\\\…@a.test'],
    [' ht\ntps:/\t/alice:secret@a.test', ' ht\ntps:/\t/…@a.test'],
    ['alice@a.test', '…@a.test'],
    ['https://@a.test', 'https://…@a.test'],
    ['no address at all', 'no address at all'],
    ['', ''],
  ])('%j is %j', (url, shown) => {
    expect(privacy.url('viewer', url)).toBe(shown);
  });

  it.each([
    ['https://alice:secret@a.test/x?q=1#part', 'https://…@a.test/x?q=1#part'],
    ['https://alice@b:secret@a.test', 'https://…@a.test'],
    ['https://a.test/@alice?x=a@b', 'https://a.test/@alice?x=a@b'],
  ])('%j is %j for operators', (url, shown) => {
    expect(privacy.url('operator', url)).toBe(shown);
  });

  it('takes no longer for an address made to be slow', () => {
    const startedMs = performance.now();
    for (const part of ['a', '@', '://', 'a@', '?', '#', '\t', 'a:\t', '/', 'a:/\t', ' '])
      privacy.url('viewer', part.repeat(200_000));

    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});
