import { describe, expect, it } from 'vitest';

import { serverNameError } from '../../../../src/core/notary/federation/server-name.js';

describe('the error of a server name', () => {
  it.each([
    ['', 'at least one character'],
    ['https://example.org/', 'leave out the scheme'],
    ['@alice:example.org', 'user or room ID'],
    ['exa mple.org', 'The character " " is not allowed'],
    ['example.org/path', 'The character "/" is not allowed'],
    ['bücher.example', 'xn--'],
    ['\u202egro.elpmaxe', 'The character "\u202e" is not allowed'],
    ['example.org:', 'no port after the colon'],
    ['example.org:https', '"https" is no port'],
    ['example.org:65536', '"65536" is no port'],
    ['example.org:0', '"0" is no port'],
    [':8448', 'no host name'],
    ['::1', 'stands in brackets: [::1]'],
    ['[::1', 'not closed'],
    ['[127.0.0.1]', 'no IPv6 address in the brackets'],
    ['[::1]8448', 'only a colon and a port'],
    ['[::1]:', 'no port after the colon'],
    ['a'.repeat(256), 'this one has 256'],
    ['a'.repeat(100_000), 'this one has 100000'],
  ])('names the rule that %j breaks', (text, sentence) => {
    expect(serverNameError(text)).toContain(sentence);
  });

  it.each(['example.org', 'example.org:8448', '[::1]:8448', '192.0.2.1', 'a'])('is null for %s', (text) => {
    expect(serverNameError(text)).toBeNull();
  });
});
