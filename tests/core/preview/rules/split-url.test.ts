import { describe, expect, it } from 'vitest';

import { normalizedParts, splitUrl, type UrlParts } from '../../../../src/core/preview/rules/url-rules.js';

const NOTHING: UrlParts = {
  scheme: '',
  netloc: '',
  path: '',
  query: '',
  fragment: '',
  username: null,
  password: null,
  hostname: null,
  port: null,
};

// Values as of Python 3.11's urllib.parse.urlsplit.
const CASES: [url: string, parts: Partial<UrlParts>][] = [
  ['', {}],
  ['http://a', { scheme: 'http', netloc: 'a', hostname: 'a' }],
  ['HTTP://A.Example:80', { scheme: 'http', netloc: 'A.Example:80', hostname: 'a.example', port: '80' }],
  ['http://a:080/', { scheme: 'http', netloc: 'a:080', hostname: 'a', port: '80', path: '/' }],
  ['http://a:/', { scheme: 'http', netloc: 'a:', hostname: 'a', path: '/' }],
  [
    'http://u:p@h/',
    { scheme: 'http', netloc: 'u:p@h', username: 'u', password: 'p', hostname: 'h', path: '/' },
  ],
  ['http://u@h', { scheme: 'http', netloc: 'u@h', username: 'u', hostname: 'h' }],
  ['http://@h', { scheme: 'http', netloc: '@h', username: '', hostname: 'h' }],
  ['http://u:@h', { scheme: 'http', netloc: 'u:@h', username: 'u', password: '', hostname: 'h' }],
  ['http://a@b@h', { scheme: 'http', netloc: 'a@b@h', username: 'a@b', hostname: 'h' }],
  ['http://[::1]:8/', { scheme: 'http', netloc: '[::1]:8', hostname: '::1', port: '8', path: '/' }],
  [
    'http://[FE80::1%Eth0]/',
    { scheme: 'http', netloc: '[FE80::1%Eth0]', hostname: 'fe80::1%Eth0', path: '/' },
  ],
  [
    'http://h/a/../%7e?q?#f#g',
    { scheme: 'http', netloc: 'h', hostname: 'h', path: '/a/../%7e', query: 'q?', fragment: 'f#g' },
  ],
  ['http://h?', { scheme: 'http', netloc: 'h', hostname: 'h' }],
  ['http://h?q/#', { scheme: 'http', netloc: 'h', hostname: 'h', query: 'q/' }],
  ['http:host/p', { scheme: 'http', path: 'host/p' }],
  ['http:///p', { scheme: 'http', path: '/p' }],
  ['http:\\\\host', { scheme: 'http', path: '\\\\host' }],
  ['//h/p', { netloc: 'h', hostname: 'h', path: '/p' }],
  ['1http://h/', { path: '1http://h/' }],
  ['ht_tp://h/', { path: 'ht_tp://h/' }],
  ['mailto:a@b', { scheme: 'mailto', path: 'a@b' }],
  [' \u0000\thttp://h/', { scheme: 'http', netloc: 'h', hostname: 'h', path: '/' }],
  ['ht\ntp://h\t/a\r', { scheme: 'http', netloc: 'h', hostname: 'h', path: '/a' }],
  ['http://h/ ', { scheme: 'http', netloc: 'h', hostname: 'h', path: '/ ' }],
];

describe('splitting a URL as text', () => {
  it.each(CASES)('%j', (url, parts) => {
    expect(splitUrl(url)).toEqual({ ...NOTHING, ...parts });
  });

  it.each([
    'http://[::1',
    'http://::1]/',
    'http://h:x/',
    'http://h:65536/',
    'http://h:-1/',
    'http://\u2100.example/',
  ])('%j cannot be split', (url) => {
    expect(splitUrl(url)).toBeNull();
  });
});

describe('components of the URL as it is fetched', () => {
  it('have no default port, no final dot and no empty user name', () => {
    expect(normalizedParts('HTTP://@H%61.Example.:80')).toEqual({
      ...NOTHING,
      scheme: 'http',
      netloc: 'ha.example',
      hostname: 'ha.example',
      path: '/',
    });
  });

  it('do not exist for what is not an absolute URL', () => {
    expect(normalizedParts('//h/p')).toBeNull();
  });
});
