import { describe, expect, it } from 'vitest';

import { SameOrigin, type SameOriginOptions } from '../../../../src/core/access/operators/same-origin.js';
import { ApiError } from '../../../../src/core/base/errors/api-error.js';

const LOOPBACK: SameOriginOptions = { publicUrl: null, tls: false, behindProxy: false };
const PUBLIC: SameOriginOptions = { publicUrl: 'https://ops.example.org/', tls: false, behindProxy: false };

type Headers = Record<string, string>;

function verdict(options: SameOriginOptions, method: string, headers: Headers): 'passes' | 'blocked' {
  try {
    new SameOrigin(options).check({ method, headers });
    return 'passes';
  } catch (error) {
    if (error instanceof ApiError && error.status === 403 && error.reason === 'csrf_blocked')
      return 'blocked';
    throw error;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
const HERE = { host: '127.0.0.1:8009', ...JSON_TYPE };

describe('a request that changes something', () => {
  it.each<[string, 'passes' | 'blocked', string, Headers]>([
    ['from our own page', 'passes', 'POST', { ...HERE, 'sec-fetch-site': 'same-origin' }],
    [
      'with a charset',
      'passes',
      'POST',
      { ...HERE, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json; charset=utf-8' },
    ],
    ['from an old browser with our origin', 'passes', 'POST', { ...HERE, origin: 'http://127.0.0.1:8009' }],
    ['from another site', 'blocked', 'POST', { ...HERE, 'sec-fetch-site': 'cross-site' }],
    ['from a neighbouring site', 'blocked', 'POST', { ...HERE, 'sec-fetch-site': 'same-site' }],
    ['typed by a person', 'blocked', 'POST', { ...HERE, 'sec-fetch-site': 'none' }],
    ['that claims two sites', 'blocked', 'POST', { ...HERE, 'sec-fetch-site': 'same-origin, same-origin' }],
    [
      'from another site with our origin forged into it',
      'blocked',
      'POST',
      { ...HERE, 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:8009' },
    ],
    ['with another origin', 'blocked', 'POST', { ...HERE, origin: 'http://evil.example' }],
    ['with our name on another port', 'blocked', 'POST', { ...HERE, origin: 'http://127.0.0.1:9' }],
    ['with our name over TLS', 'blocked', 'POST', { ...HERE, origin: 'https://127.0.0.1:8009' }],
    ['with an opaque origin', 'blocked', 'POST', { ...HERE, origin: 'null' }],
    ['that says nothing of where it comes from', 'blocked', 'POST', HERE],
    [
      'as a form',
      'blocked',
      'POST',
      {
        host: '127.0.0.1:8009',
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      },
    ],
    [
      'as plain text',
      'blocked',
      'POST',
      { host: '127.0.0.1:8009', 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' },
    ],
    [
      'of a type that merely begins like JSON',
      'blocked',
      'POST',
      { host: '127.0.0.1:8009', 'sec-fetch-site': 'same-origin', 'content-type': 'application/jsonp' },
    ],
    ['without a type', 'blocked', 'POST', { host: '127.0.0.1:8009', 'sec-fetch-site': 'same-origin' }],
    [
      'DELETE without a body',
      'passes',
      'DELETE',
      { host: '127.0.0.1:8009', 'sec-fetch-site': 'same-origin' },
    ],
    [
      'DELETE as a form',
      'blocked',
      'DELETE',
      { host: '127.0.0.1:8009', 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' },
    ],
    [
      'DELETE from another site',
      'blocked',
      'DELETE',
      { host: '127.0.0.1:8009', 'sec-fetch-site': 'cross-site' },
    ],
  ])('%s %s', (_what, expected, method, headers) => {
    expect(verdict(LOOPBACK, method, headers)).toBe(expected);
  });
});

describe('a request that reads', () => {
  it.each<[string, 'passes' | 'blocked']>([
    ['same-origin', 'passes'],
    ['none', 'passes'],
    ['same-site', 'blocked'],
    ['cross-site', 'blocked'],
  ])('from %s %s', (site, expected) => {
    expect(verdict(LOOPBACK, 'GET', { host: 'localhost:8009', 'sec-fetch-site': site })).toBe(expected);
  });

  it('passes without the header, as old browsers and scripts send it', () => {
    expect(verdict(LOOPBACK, 'GET', { host: 'localhost:8009' })).toBe('passes');
  });
});

describe('the name a request is meant for', () => {
  it.each<[string, SameOriginOptions, string, string | null]>([
    ['a loopback address', LOOPBACK, '127.0.0.1:8009', 'http://127.0.0.1:8009'],
    ['localhost', LOOPBACK, 'localhost:8009', 'http://localhost:8009'],
    ['IPv6 loopback', LOOPBACK, '[::1]:8009', 'http://[::1]:8009'],
    ['another port, as through a tunnel', LOOPBACK, 'localhost:1234', 'http://localhost:1234'],
    ['loopback over TLS', { ...LOOPBACK, tls: true }, 'localhost', 'https://localhost'],
    ['a name an attacker points at this machine', LOOPBACK, 'evil.example:8009', null],
    ['a name that begins like ours', LOOPBACK, 'localhost.evil.example', null],
    ['a name that begins like an address', LOOPBACK, '127.0.0.1.evil.example', null],
    ['credentials before our name', LOOPBACK, 'localhost@evil.example', null],
    ['an address of this machine in the network', LOOPBACK, '192.0.2.1:8009', null],
    ['our public name', PUBLIC, 'ops.example.org', 'https://ops.example.org'],
    ['our public name in capitals with its port', PUBLIC, 'OPS.example.org:443', 'https://ops.example.org'],
    ['our public name on another port', PUBLIC, 'ops.example.org:8443', null],
    ['another name beside a public one', PUBLIC, 'evil.example', null],
    [
      'whatever a trusted proxy makes of it',
      { ...PUBLIC, behindProxy: true },
      '10.0.0.1:8009',
      'https://ops.example.org',
    ],
  ])('%s', (_what, options, host, origin) => {
    expect(new SameOrigin(options).originOf({ host })).toBe(origin);
  });

  it('is none without a Host header', () => {
    expect(new SameOrigin(LOOPBACK).originOf({})).toBeNull();
  });

  it('decides even for requests that call themselves same-origin', () => {
    const headers = {
      ...JSON_TYPE,
      host: 'evil.example:8009',
      'sec-fetch-site': 'same-origin',
      origin: 'http://evil.example:8009',
    };

    expect(verdict(LOOPBACK, 'POST', headers)).toBe('blocked');
  });
});

describe('a request with an API token', () => {
  const sameOrigin = new SameOrigin(PUBLIC);

  it('needs neither site nor name', () => {
    expect(() =>
      sameOrigin.checkToken({ method: 'POST', headers: { host: 'x', ...JSON_TYPE } }),
    ).not.toThrow();
  });

  it('must not bring a cookie', () => {
    expect(() => sameOrigin.checkToken({ method: 'GET', headers: { cookie: 'a=b' } })).toThrow(
      'cannot be used together',
    );
  });

  it('has to be JSON', () => {
    expect(() =>
      sameOrigin.checkToken({ method: 'POST', headers: { 'content-type': 'text/plain' } }),
    ).toThrow('application/json');
  });
});
