import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { Privacy } from '../../../src/core/access/operators/privacy.js';
import { openDatabase, type Database } from '../../../src/core/store/db.js';
import { shownPart } from '../../../src/core/store/lists/keyset-filter.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { createTestDatabase, testEngines, type TestDatabase } from '../../support/store/databases.js';

const PIECES = [
  'https',
  ':',
  '//',
  '/',
  '\\',
  '@',
  '?',
  '#',
  'a.test',
  'alice',
  ':',
  '\t',
  '8443',
  "'",
  '%',
  'ü',
];
const MANY = 3000;
const privacy = new Privacy({ hideOwners: 'auto', hideQueryStrings: 'auto' });

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
  return path.replaceAll('\\', '/') + hidden;
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

describe.each(testEngines())('the part of an address that may be searched on %s', (engine) => {
  let files: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    files = await createTestDatabase(engine);
    database = await openDatabase(files.options, createLogger({ level: 'silent' }));
    await database.client.blacklistHit.createMany({
      data: texts().map((url) => ({ ts: 1n, url, stage: 'target', rule: '' })),
    });
  });

  afterAll(async () => {
    await database.close();
    await files.cleanup();
  });

  it('is what viewers are shown of it, and nothing when a user is named', async () => {
    const rows = await database.client.$queryRawUnsafe<{ url: string; part: string }[]>(
      `SELECT url, ${shownPart(engine, 'url', { hidesQueries: true })} AS part FROM blacklist_hit`,
    );
    const wrong = rows.filter(({ url, part }) => part !== expected(url));

    expect(rows).toHaveLength(2 * MANY);
    expect(wrong.slice(0, 5).map(({ url, part }) => [url, part, expected(url)])).toEqual([]);
    expect(rows.some(({ part }) => part === '')).toBe(true);
  });

  it('of who sees query strings is all but the user', async () => {
    const rows = await database.client.$queryRawUnsafe<{ url: string; part: string }[]>(
      `SELECT url, ${shownPart(engine, 'url')} AS part FROM blacklist_hit`,
    );
    const wrong = rows.filter(({ url, part }) => part !== expectedWhole(url));

    expect(wrong.slice(0, 5).map(({ url, part }) => [url, part, expectedWhole(url)])).toEqual([]);
    expect(rows.some(({ url, part }) => part !== url)).toBe(true);
  });
});
