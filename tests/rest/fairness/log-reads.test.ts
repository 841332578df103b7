import { describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { setHeldTables } from './held-tables.js';

const QUESTIONS = 600;
/** Of one client: half of the reads at once, and as many as may wait while nobody else does. */
const ADMITTED = 2 + 500;

describe.runIf(testEngines().includes('postgresql'))('reads of the log', () => {
  const held = setHeldTables();
  const ask = (path: string, localAddress: string) => held.ask(`/_svc/vidimus/v1/log/${path}`, localAddress);

  it('take turns by client: a crowd of one is refused, another waits for none of it', async () => {
    await held.hold('log_entry');
    const ended: number[] = [];
    const crowd = Array.from({ length: QUESTIONS }, (_, at) => {
      const sha256 = at.toString(16).padStart(64, '0');
      return ask(`proof/record/${sha256}`, '127.0.0.2').then((status) => ended.push(status));
    });
    await expect.poll(() => ended.length).toBe(QUESTIONS - ADMITTED);
    expect(new Set(ended)).toEqual(new Set([503]));

    const neighbour = ask(`record/${'f'.repeat(64)}`, '127.0.0.3').then((status) => ({
      status,
      before: ended.length - (QUESTIONS - ADMITTED),
    }));
    expect(await ask('checkpoint', '127.0.0.2')).toBe(200);
    await held.release();
    const { status, before } = await neighbour;
    expect(status).toBe(404);
    expect(before).toBeLessThan(ADMITTED / 4);
    await Promise.all(crowd);
    expect(ended.filter((each) => each === 404)).toHaveLength(ADMITTED);
  });
});
