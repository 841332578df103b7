import { describe, expect, it } from 'vitest';

import { parseServerName } from '../../../../src/core/notary/federation/server-name.js';

describe('parseServerName', () => {
  it.each([
    ['example.org', 'dns', 'example.org', null],
    ['Example.ORG', 'dns', 'Example.ORG', null],
    ['example.org:8448', 'dns', 'example.org', 8448],
    ['example.org:00443', 'dns', 'example.org', 443],
    ['localhost', 'dns', 'localhost', null],
    ['a', 'dns', 'a', null],
    ['1.2.3.4', 'ipv4', '1.2.3.4', null],
    ['1.2.3.4:1', 'ipv4', '1.2.3.4', 1],
    ['1.2.3.256', 'dns', '1.2.3.256', null],
    ['1.2.3', 'dns', '1.2.3', null],
    ['[::1]', 'ipv6', '::1', null],
    ['[2001:DB8::1]:65535', 'ipv6', '2001:DB8::1', 65_535],
    ['[::ffff:1.2.3.4]', 'ipv6', '::ffff:1.2.3.4', null],
    ['xn--exmple-cua.org', 'dns', 'xn--exmple-cua.org', null],
    ['constructor', 'dns', 'constructor', null],
    ['x'.repeat(255), 'dns', 'x'.repeat(255), null],
  ] as const)('reads %s', (text, hostKind, host, port) => {
    expect(parseServerName(text)).toEqual({ text, hostKind, host, port });
  });

  it.each([
    '',
    ' ',
    'bad name',
    ' example.org',
    'example.org ',
    'example.org\n',
    'a/b',
    'a_b.org',
    '__proto__',
    'https://example.org',
    'user@example.org',
    'example.org?x',
    'example.org#x',
    'ex\u00e4mple.org',
    'a\0b',
    'host:',
    ':8448',
    'host:http',
    'host:0',
    'host:65536',
    'host:99999',
    'host:100000',
    'host:-1',
    'host:+1',
    'host:8448:1',
    '::1',
    '[]',
    '[::1',
    '::1]',
    '[::1]8448',
    '[::1]:',
    '[fe80::1%eth0]',
    '[1.2.3.4]',
    '[::::]',
    '[example.org]',
    '[[::1]]',
    'x'.repeat(256),
    'x'.repeat(100_000),
    '['.repeat(50_000),
  ])('refuses %j', (text) => {
    expect(parseServerName(text)).toBeNull();
  });
});
