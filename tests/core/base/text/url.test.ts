import { expect, it } from 'vitest';

import { parseUrl } from '../../../../src/core/base/text/url.js';

const BASE = 'https://site.example/a/b';
const LONG = 'ü'.repeat(600);

it.each([
  `http://${LONG}/`,
  `http://${encodeURIComponent('漢'.repeat(900))}`,
  `http://${'ü'.repeat(135)}.example/`,
  `http://${'😀'.repeat(135)}.example/`,
  `http://${'%61'.repeat(135)}.example/`,
  `http://${'ü.'.repeat(130)}a/`,
  `HTTPS:\\\\${LONG}`,
  `http:////${LONG}?a`,
  `http:${LONG}`,
  ` \u0001ht\ntp:/\t/${LONG}#a`,
  `http://user:${LONG}@${LONG}:80/`,
  `//${LONG}/`,
  `/\\${LONG}/`,
  `\t///\\/${LONG}/`,
])('takes no host longer than any name: %.20j', (text) => {
  // It would be one, or end in the same way after a while.
  expect(parseUrl(text, BASE)).toBeNull();
});

it.each([
  [`http://${'ü'.repeat(60)}.example/`, 'xn--'],
  [`https://${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example:8443/`, 'a'.repeat(63)],
  [`http://${encodeURIComponent('漢'.repeat(40))}/`, 'xn--'],
  [`http://${Array(4).fill('😀'.repeat(50)).join('.')}/`, 'xn--'],
  [`http://${'%61'.repeat(63)}.example/`, 'a'.repeat(63)],
  [`http://${'a.'.repeat(120)}example/`, 'a.a'],
  [`http://host.example${' '.repeat(200)}`, 'host.example'],
  [`http://[2001:db8::1]:8443/${LONG}`, '[2001:db8::1]'],
  [`data:,${LONG}`, ''],
  [`mailto:${LONG}`, ''],
  [`http://user:${LONG}@host.example/`, 'host.example'],
  [`${LONG}/b`, 'site.example'],
  [`/${LONG}`, 'site.example'],
  [`?//${LONG}`, 'site.example'],
  [`http://host.example/${LONG}`, 'host.example'],
  [`http://host.example#//${LONG}`, 'host.example'],
])('takes what is long elsewhere: %.20j', (text, host) => {
  expect(parseUrl(text, BASE)?.hostname.slice(0, host.length)).toBe(host);
});

it('is null for what is not an address', () => {
  expect([parseUrl('a'), parseUrl('http://'), parseUrl(':', undefined)]).toEqual([null, null, null]);
});
