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
const SAME = 'same-origin';
const PAGE = { ...HERE, 'sec-fetch-site': SAME };
const BARE = { host: '127.0.0.1:8009', 'sec-fetch-site': SAME };
const from = (site: string, more: Headers = {}): Headers => ({ ...HERE, 'sec-fetch-site': site, ...more });
const ofType = (type: string): Headers => ({ ...PAGE, 'content-type': type });

describe('a request that changes something', () => {
  it.each<[string, Headers]>([
    ['from our own page', PAGE],
    ['with a charset', ofType('application/json; charset=utf-8')],
    ['from an old browser with our origin', { ...HERE, origin: 'http://127.0.0.1:8009' }],
  ])('%s passes', (_what, headers) => {
    expect(verdict(LOOPBACK, 'POST', headers)).toBe('passes');
  });

  it.each<[string, Headers]>([
    ['from another site', from('cross-site')],
    ['from a neighbouring site', from('same-site')],
    ['typed by a person', from('none')],
    ['that claims two sites', from(`${SAME}, ${SAME}`)],
    ['from another site with our origin forged', from('cross-site', { origin: 'http://127.0.0.1:8009' })],
    ['with another origin', { ...HERE, origin: 'http://evil.example' }],
    ['with our name on another port', { ...HERE, origin: 'http://127.0.0.1:9' }],
    ['with our name over TLS', { ...HERE, origin: 'https://127.0.0.1:8009' }],
    ['with an opaque origin', { ...HERE, origin: 'null' }],
    ['that says nothing of where it comes from', HERE],
    ['as a form', ofType('application/x-www-form-urlencoded')],
    ['as plain text', ofType('text/plain')],
    ['of a type that merely begins like JSON', ofType('application/jsonp')],
    ['without a type', BARE],
  ])('%s is blocked', (_what, headers) => {
    expect(verdict(LOOPBACK, 'POST', headers)).toBe('blocked');
  });

  it.each<[string, 'passes' | 'blocked', Headers]>([
    ['without a body', 'passes', BARE],
    ['as a form', 'blocked', ofType('text/plain')],
    ['from another site', 'blocked', { ...BARE, 'sec-fetch-site': 'cross-site' }],
  ])('DELETE %s %s', (_what, expected, headers) => {
    expect(verdict(LOOPBACK, 'DELETE', headers)).toBe(expected);
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
    ['loopback over TLS', { ...LOOPBACK, tls: true }, 'localhost', 'https://localhost'],
    ['a name an attacker points at this machine', LOOPBACK, 'evil.example:8009', null],
    ['a name that begins like an address', LOOPBACK, '127.0.0.1.evil.example', null],
    ['credentials before our name', LOOPBACK, 'localhost@evil.example', null],
    ['an address of this machine in the network', LOOPBACK, '192.0.2.1:8009', null],
    ['our public name', PUBLIC, 'ops.example.org', 'https://ops.example.org'],
    ['our public name on another port', PUBLIC, 'ops.example.org:8443', null],
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
