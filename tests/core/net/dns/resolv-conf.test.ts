import { describe, expect, it } from 'vitest';

import { parseResolvConf, searchedNames } from '../../../../src/core/net/dns/resolv-conf.js';

const EMPTY = { servers: ['127.0.0.1'], search: [], ndots: 1, timeoutMs: null, attempts: 2, rotate: false };

describe('resolv.conf', () => {
  it.each([
    ['', {}],
    [
      'nameserver 192.0.2.1\n nameserver 2001:db8::1 \nnameserver nonsense',
      { servers: ['192.0.2.1', '2001:db8::1'] },
    ],
    ['nameserver [127.0.0.1]:5353\nnameserver [::1]:99999', { servers: ['[127.0.0.1]:5353'] }],
    ['nameserver 192.0.2.1 # first\n; nameserver 192.0.2.2', { servers: ['192.0.2.1'] }],
    ['search One.example. two.example\nsearch three.example', { search: ['three.example'] }],
    ['domain lan.example more.example', { search: ['lan.example'] }],
    [
      'options ndots:5 timeout:3 attempts:4 rotate edns0',
      { ndots: 5, timeoutMs: 3000, attempts: 4, rotate: true },
    ],
    ['options ndots:99 timeout:0 attempts:99', { ndots: 15, timeoutMs: 1000, attempts: 5 }],
  ])('%j', (text, said) => {
    expect(parseResolvConf(text, 'host')).toEqual({ ...EMPTY, ...said });
  });

  it('without domains the one of this machine counts', () => {
    expect(parseResolvConf('', 'me.lan.example').search).toEqual(['lan.example']);
  });

  it('completes names with fewer dots than ndots first, others last', () => {
    const conf = { ...EMPTY, search: ['x.example', 'y.example'], ndots: 2 };
    expect(searchedNames('a.b', conf)).toEqual(['a.b.x.example', 'a.b.y.example', 'a.b']);
    expect(searchedNames('a.b.c', conf)).toEqual(['a.b.c', 'a.b.c.x.example', 'a.b.c.y.example']);
    const long = `${'a.'.repeat(125)}a`;
    expect(searchedNames(long, conf)).toEqual([long]);
  });
});
