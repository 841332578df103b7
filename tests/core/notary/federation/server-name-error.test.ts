import { describe, expect, it } from 'vitest';

import { serverNameError } from '../../../../src/core/notary/federation/server-name.js';

describe('the error of a server name', () => {
  it.each([
    ['', 'at least one character'],
    ['https://example.org/', 'leave out the scheme'],
    ['@alice:example.org', 'user or room ID'],
    ['bücher.example', 'xn--'],
    ['\u202egro.elpmaxe', 'is not allowed'],
    ['example.org:', 'a port between 1 and 65535'],
    ['example.org:65536', 'a port between 1 and 65535'],
    [':8448', 'separate a host name'],
    ['::1', 'needs brackets'],
    ['[127.0.0.1]', 'Brackets must contain an IPv6'],
    ['[::1]8448', 'only a port may follow'],
    ['a'.repeat(256), 'at most 255'],
  ])('names the rule that %j breaks', (text, sentence) => {
    expect(serverNameError(text)).toContain(sentence);
  });

  it.each(['example.org', 'example.org:8448', '[::1]:8448', '192.0.2.1', 'a'])('is null for %s', (text) => {
    expect(serverNameError(text)).toBeNull();
  });
});
