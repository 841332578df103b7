import { beforeEach, describe, expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS } from '../../../src/core/base/clock.js';
import { JobStore } from '../../../src/core/job-runner/job-store.js';
import { testEngines } from '../../support/store/databases.js';
import { ManualClock } from '../../support/manual-clock.js';
import { createRunnerKit } from './runner-kit.js';
import { setUpEach } from '../../support/set-up.js';

describe.each(testEngines())('the lease of a job on %s', (engine) => {
  const kit = setUpEach(() => createRunnerKit(engine));
  let holder: JobStore;

  beforeEach(async () => {
    holder = new JobStore(kit.database, kit.clock);
    await holder.takeLease('sort');
  });

  /** An instance whose clock differs by so much from the holder's. */
  const instance = (skewMs: number): JobStore =>
    new JobStore(kit.database, new ManualClock(kit.clock.now() + skewMs));

  it.each([-2 * MINUTE_MS, -MINUTE_MS, -1000, -1, 0, 1, 1000, MINUTE_MS])(
    'stays with its holder while another asks whose clock differs by %d ms',
    async (skewMs) => {
      const asker = instance(skewMs);

      expect(await asker.takeLease('sort')).toBe(false);
      kit.clock.advance(5000);
      expect(await holder.takeLease('sort')).toBe(true);
      expect(await asker.takeLease('sort')).toBe(false);
    },
  );

  it('keeps nobody out for long whose clock was set back by an hour', async () => {
    expect(await instance(-HOUR_MS).takeLease('sort')).toBe(true);
  });

  it('of a holder that has died ends minutes after the clock was set back by less', async () => {
    const clock = new ManualClock(kit.clock.now() - 2 * MINUTE_MS);
    const asker = new JobStore(kit.database, clock);
    expect(await asker.takeLease('sort')).toBe(false);

    clock.advance(4 * MINUTE_MS + 1);
    expect(await asker.takeLease('sort')).toBe(true);
  });
});
