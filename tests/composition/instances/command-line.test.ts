import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { databaseOptionsOf } from '../../../src/composition/parts.js';
import { withCommandServices } from '../../../src/composition/services.js';
import { NO_ORIGINS } from '../../../src/config/input/setting-origins.js';
import { createLogger } from '../../../src/core/base/logger.js';
import { openDatabase } from '../../../src/core/store/db.js';
import { testEngines } from '../../support/store/databases.js';
import { startTwoInstances, until, type TwoInstances } from './two-instances.js';

describe.runIf(testEngines().includes('postgresql'))('what a command tells of the instances', () => {
  let both: TwoInstances;

  beforeAll(async () => {
    both = await startTwoInstances({});
  });
  afterAll(() => both.remove());

  /** The line of `vidimus doctor`, which is not an instance itself. */
  async function line() {
    const { config, files } = both.first.context;
    const loaded = { config, files, sources: new Map(), origins: NO_ORIGINS };
    const database = await openDatabase(databaseOptionsOf(loaded), createLogger({ level: 'silent' }));
    try {
      return await withCommandServices(loaded, database, async ({ storedChecks }) =>
        storedChecks.find(({ key }) => key === 'instances')?.look(),
      );
    } finally {
      await database.close();
    }
  }

  it('names those that run, says which do not run with its configuration, and that there is none', async () => {
    await until(async () => (await line())?.message === 'first, second run on this database.');
    expect(await line()).toMatchObject({ state: 'ok', advice: null });

    both.second.edit({ url_preview_url_blacklist: [{ path: '/ruled' }] });
    both.second.context.settings.reload({ dryRun: false });
    await until(async () => (await line())?.state === 'warning');
    expect((await line())?.message).toBe(
      'second runs with other rules or live settings than this configuration.',
    );

    await both.second.stop();
    expect(await line()).toMatchObject({ state: 'ok', message: 'first runs on this database.' });
    await both.first.stop();
    expect(await line()).toMatchObject({
      state: 'unproved',
      message: 'No instance runs on this database.',
    });
  });
});
