import { beforeAll, describe, expect, it } from 'vitest';

import { SignInCodes } from '../../../../src/core/access/operators/sign-in-codes.js';
import { testEngines } from '../../../support/store/databases.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { openTestDatabase } from './access-kit.js';
import { setUp } from '../../../support/set-up.js';

const LIFETIME_MS = 15 * 60_000;

describe.each(testEngines())('SignInCodes on %s', (engine) => {
  const store = setUp(() => openTestDatabase(engine));
  let codes: SignInCodes;
  const clock = new ManualClock();

  beforeAll(async () => {
    codes = new SignInCodes(store.database, clock);
  });

  it('makes codes of three groups of four signs that cannot be taken for one another', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => codes.create('admin')));

    for (const { code } of made) expect(code).toMatch(/^[2-9A-HJ-NP-Z]{4}(?:-[2-9A-HJ-NP-Z]{4}){2}$/);
    expect(new Set(made.map(({ code }) => code)).size).toBe(20);
  });

  it('takes a code as people type it: small letters, blanks, no dashes', async () => {
    const { code } = await codes.create('viewer');

    expect(await codes.use(` ${code.toLowerCase().replaceAll('-', ' ')} `)).toMatchObject({ role: 'viewer' });
  });

  it('lets exactly one of many simultaneous uses win', async () => {
    const { code } = await codes.create('admin');

    const uses = await Promise.all(Array.from({ length: 8 }, () => codes.use(code)));

    expect(uses.filter((use) => use?.role === 'admin')).toHaveLength(1);
    expect(uses.filter((use) => use === null)).toHaveLength(7);
  });

  it('ends at its time to the millisecond', async () => {
    const first = await codes.create('admin');
    const second = await codes.create('admin');
    expect(first.expiresTs).toBe(clock.now() + LIFETIME_MS);

    clock.advance(LIFETIME_MS - 1);
    expect(await codes.use(first.code)).toEqual({ role: 'admin', actor: 'operator' });
    clock.advance(1);
    expect(await codes.use(second.code)).toBeNull();
  });

  it('keeps no code in the clear, and none for long', async () => {
    clock.advance(LIFETIME_MS);
    await codes.create('admin');

    const rows = await store.database.client.stateValue.findMany();

    expect(rows).toHaveLength(1);
    expect(rows[0]?.name).toMatch(/^code [0-9a-f]{64}$/);
  });
});
