import { describe, expect, it, onTestFinished } from 'vitest';

import { HOUR_MS, SECOND_MS } from '../../src/core/base/clock.js';
import { getKeys } from '../support/clients/notary-client.js';
import type { TestService } from '../support/service.js';
import { testEngines } from '../support/store/databases.js';
import { startTwoInstances } from './two-instances.js';

const own = async ({ url }: TestService): Promise<string> => (await getKeys(url, 'server')).text;

describe.runIf(testEngines().includes('postgresql'))('our own record', () => {
  it('is the same on two instances, after half of its life too (SPEC §4.9)', async () => {
    const both = await startTwoInstances({});
    onTestFinished(() => both.remove());
    const { first, second } = both;
    const before = await own(first);
    expect(await own(second)).toBe(before);

    first.clock.advance(13 * HOUR_MS);
    const renewed = await own(first);
    first.clock.advance(5 * SECOND_MS);

    expect(renewed).not.toBe(before);
    expect([await own(second), await own(first)]).toEqual([renewed, renewed]);
  });
});
