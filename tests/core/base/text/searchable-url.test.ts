import { expect, it } from 'vitest';

import { Privacy } from '../../../../src/core/access/operators/privacy.js';
import { searchableText, searchableUrl } from '../../../../src/core/base/text/url.js';

const PIECES = ['https', ':', '//', '/', '\\', '@', '?', '#', 'a.test', 'alice', '\t', '8443', "'", '%', 'ü'];
const MANY = 3000;
const privacy = new Privacy('auto');

/** What may be found of an address: what a viewer is shown, as far as the first thing that is hidden. */
function expected(url: string): string {
  const [start = ''] = url.split(/[?#]/);
  return privacy.url('viewer', start).includes('…@') ? '' : start;
}

/** The same for those who see query strings: what stands behind the host, which has a column of its own. */
function expectedWhole(url: string): string {
  const [, behind] = privacy.url('operator', url).split('…@');
  if (behind === undefined) return url;
  const [, path = '', hidden = ''] = /^[^/\\?#]*([^?#]*)(.*)$/s.exec(behind) ?? [];
  return `host${path.replaceAll('\\', '/')}${hidden}`;
}

/** Addresses, and texts made of their pieces by a fixed sequence. */
function texts(): string[] {
  let state = 7;
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const made = Array.from({ length: MANY }, () =>
    Array.from({ length: 1 + next(9) }, () => PIECES[next(PIECES.length)]).join(''),
  );
  return [...made.map((text) => `https:${text}`), ...made.map((text) => `https://a.test/${text}`)];
}

it('nothing is found of an address that is not shown', () => {
  const all = texts();
  expect(all.filter((url) => searchableUrl(url, 'host', { hidesQueries: true }) !== expected(url))).toEqual(
    [],
  );
  expect(all.filter((url) => searchableUrl(url, 'host', {}) !== expectedWhole(url))).toEqual([]);
  expect(all.some((url) => expected(url) === '')).toBe(true);
});

it.each([
  ['a plain title', {}, 'a plain title'],
  ['at http:\\\\u:p@h', {}, ''],
  ['see http://h/p', {}, 'see http://h/p'],
  ['see http://h/p', { hidesQueries: true }, ''],
])('of the title %j as %j may be found %j', (title, search, found) => {
  expect(searchableText(title, search)).toBe(found);
});
