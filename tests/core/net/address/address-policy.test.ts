import { describe, expect, it } from 'vitest';

import {
  AddressPolicy,
  compileAddressRanges,
  DEFAULT_IP_RANGE_BLACKLIST,
} from '../../../../src/core/net/address/address-policy.js';

function policy(whitelist: string[] = [], blacklist: readonly string[] = DEFAULT_IP_RANGE_BLACKLIST) {
  return new AddressPolicy({
    blacklist: compileAddressRanges(blacklist),
    whitelist: compileAddressRanges(whitelist),
  });
}

const words = (list: string): string[] => list.trim().split(/\s+/);

const BLOCKED = words(`
  0.0.0.0 0.1.2.3 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1
  127.255.255.254 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1
  192.88.99.1 192.168.0.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255 :: 0:0:0:0:0:0:0:0 ::1 ::7f00:1 ::127.0.0.1 ::ffff:7f00:1
  ::ffff:127.0.0.1 ::ffff:0.0.0.0 ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1:7f00:0:100::
  100::1 100:0:0:1::1 2001:0:4136:e378:8000:63bf:80ff:fffe 2001:2::1 2001:10::1 2001:20::1 2001:30::1
  2001:1::1 2001:1ff:ffff::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 2a00:1450::5efe:a00:1
  2a00:1450::200:5efe:a00:1 2620:4f:8000::1 3fff::1 3fff:fff:ffff::1 4000::1 5f00::1 fc00::1 fd12::1
  fe80::1 fe80:0:0:1::1 fec0::1 ff02::1 ff0e::1`);

const PUBLIC = words(`
  1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1
  169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.1 192.0.3.1 192.31.197.1
  192.88.98.255 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.1 198.51.101.1 203.0.112.255
  203.0.114.0 223.255.255.255 ::ffff:808:808 2000::1 2001:200::1 2001:db7:ffff::1 2001:db9::1 2003::1
  2620:4f:8001::1 2a00:1450:4001::1 2a00:1450::5efe:808:808 3ffe:ffff::1 3fff:1000::1`);

describe('AddressPolicy, default list', () => {
  it.each(BLOCKED)('blocks %s', (address) => {
    expect(policy().verdict(address)).toBe('blocked');
  });

  it.each(PUBLIC)('allows the public neighbour %s', (address) => {
    expect(policy().verdict(address)).toBe('allowed');
  });
});

describe('AddressPolicy, what no list can lift', () => {
  const everything = policy(['0.0.0.0/0', '::/0'], []);

  it.each([
    '0.0.0.0',
    '::',
    '::ffff:0.0.0.0',
    'fe80::1%eth0',
    '127.0.0.1%lo',
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '1.2.3.4.5',
    '256.1.1.1',
    '[::1]',
    '::1 ',
    ':'.repeat(10_000),
  ])('blocks %j with everything whitelisted and nothing blacklisted', (address) => {
    expect(everything.verdict(address)).toBe('blocked');
  });

  it('allows loopback and private addresses when everything is whitelisted', () => {
    expect(['127.0.0.1', '10.0.0.1', '::1', 'fd00::1'].map((address) => everything.verdict(address))).toEqual(
      ['allowed', 'allowed', 'allowed', 'allowed'],
    );
  });
});

describe('AddressPolicy, whitelist', () => {
  it('makes an exception and nothing more', () => {
    const loopback = policy(['127.0.0.1', '::1/128']);
    expect(loopback.verdict('127.0.0.1')).toBe('allowed');
    expect(loopback.verdict('::ffff:127.0.0.1')).toBe('allowed');
    expect(loopback.verdict('::1')).toBe('allowed');
    expect(loopback.verdict('127.0.0.2')).toBe('blocked');
    expect(loopback.verdict('10.0.0.1')).toBe('blocked');
  });

  it('keeps a private address inside a whitelisted NAT64 prefix blocked', () => {
    const dns64 = policy(['64:ff9b::/96']);
    expect(dns64.verdict('64:ff9b::8.8.8.8')).toBe('allowed');
    expect(dns64.verdict('64:ff9b::10.0.0.1')).toBe('blocked');
    expect(dns64.verdict('64:ff9b::')).toBe('blocked');
  });

  it.each([
    ['local NAT64, /48 form', '64:ff9b:1:808:8:800::', '64:ff9b:1:7f00:0:100::'],
    ['local NAT64, /96 form', '64:ff9b:1::808:808', '64:ff9b:1::a00:1'],
    ['local NAT64, decoy in the other form', '64:ff9b:1:808:8:800::', '64:ff9b:1:7f00:0:100:808:808'],
    ['6to4', '2002:808:808::1', '2002:a00:1::1'],
    ['Teredo client', '2001:0:4136:e378:8000:63bf:f7f7:f7f7', '2001:0:4136:e378:8000:63bf:80ff:fffe'],
    ['Teredo server', '2001:0:808:808::f7f7:f7f7', '2001:0:a00:1::f7f7:f7f7'],
    ['compatible', '::8.8.8.8', '::10.0.0.1'],
    ['SIIT', '::ffff:0:808:808', '::ffff:0:a00:1'],
    ['ISATAP', '2a00::5efe:808:808', '2a00::5efe:a00:1'],
  ])('judges the IPv4 inside: %s', (_form, harmless, disguised) => {
    const ipv6Open = policy(['::/0']);
    expect(ipv6Open.verdict(harmless)).toBe('allowed');
    expect(ipv6Open.verdict(disguised)).toBe('blocked');
  });
});

describe('AddressPolicy, families', () => {
  it('does not let an IPv6 range that covers the mapped block touch IPv4', () => {
    const ipv6Only = policy([], ['::/0']);
    expect(ipv6Only.verdict('8.8.8.8')).toBe('allowed');
    expect(ipv6Only.verdict('::ffff:8.8.8.8')).toBe('allowed');
    expect(ipv6Only.verdict('2a00::1')).toBe('blocked');
  });

  it('reads a mapped range as the IPv4 range it stands for', () => {
    const mapped = policy([], ['::ffff:10.0.0.0/104']);
    expect(mapped.verdict('10.200.0.1')).toBe('blocked');
    expect(mapped.verdict('11.0.0.1')).toBe('allowed');
  });
});

describe('compileAddressRanges', () => {
  it.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0/8',
    '010.0.0.0/8',
    '::/129',
    'fe80::1%eth0',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0.0.0/08a',
    'example.org',
    '',
    ' 10.0.0.0/8',
    '10.*.*.*',
  ])('throws for %j and names it', (entry) => {
    expect(() => compileAddressRanges(['192.168.0.0/16', entry])).toThrow(`"${entry}"`);
  });

  it('ignores bits behind the prefix', () => {
    expect(policy([], ['10.1.2.3/8']).verdict('10.9.9.9')).toBe('blocked');
  });
});
