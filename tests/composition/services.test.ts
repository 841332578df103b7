import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { MINUTE_MS } from '../../src/core/base/clock.js';
import { listSettings } from '../../src/config/setting-tree.js';
import { startTestService, type TestService } from '../support/service.js';

describe('the services of a server', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.remove());

  it('have these jobs', () => {
    const { definitions } = service.context.services.jobs.registry;
    expect(definitions.map(({ name }) => name)).toEqual([
      'preview_cleanup',
      'media_sweep',
      'prune_fetch_history',
      'prune_audit_log',
      'delete_previews',
      'delete_media',
      'refresh_previews',
    ]);
  });

  it('do not walk over the media folder in the first minute', () => {
    const { definitions } = service.context.services.jobs.registry;
    const walk = definitions.find(({ name }) => name === 'media_sweep');
    expect(walk?.nextRunTs()).toBeGreaterThan(service.clock.now() + MINUTE_MS);
  });

  it('take every setting that is marked as live, and no other', () => {
    const { liveSettings, services } = service.context;
    const marked = listSettings().filter(({ about }) => about.live);
    const taken = [...Object.keys(liveSettings), ...services.features.liveSettings];

    expect(taken.toSorted()).toEqual(marked.map(({ name }) => name).toSorted());
  });
});
