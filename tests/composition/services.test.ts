import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { withCommandServices } from '../../src/composition/services.js';
import { NO_ORIGINS } from '../../src/config/input/setting-origins.js';
import { listSettings } from '../../src/config/setting-tree.js';
import { startTestService, type TestService } from '../support/service.js';

describe('the services of a server', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.remove());

  it('know the same jobs as those of a command, in the same order', async () => {
    const { config, files, parts, services } = service.context;
    const loaded = { config, files, sources: new Map(), origins: NO_ORIGINS };
    const ofCommand = await withCommandServices(loaded, parts.database, async ({ jobs }) => jobs.registry);

    const [server, command] = [services.jobs.registry, ofCommand].map(({ definitions }) =>
      definitions.map(({ name, everyMs, start }) => ({ name, everyMs, canStart: start !== null })),
    );
    expect(command).toEqual(server);
    expect(server!.map(({ name }) => name)).toEqual([
      'preview_cleanup',
      'media_sweep',
      'prune_fetch_history',
      'measure_totals',
      'prune_audit_log',
      'delete_previews',
      'delete_media',
      'refresh_previews',
    ]);
  });

  it('take every setting that is marked as live, and no other', () => {
    const { liveSettings, services } = service.context;
    const marked = listSettings().filter(({ about }) => about.live);
    const taken = [...Object.keys(liveSettings), ...services.features.liveSettings];

    expect(taken.toSorted()).toEqual(marked.map(({ name }) => name).toSorted());
  });
});
