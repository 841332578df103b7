import { describe, expect, it } from 'vitest';

import { MINUTE_MS } from '../../src/core/base/clock.js';
import { setService } from '../support/world.js';

describe('the services of a server', () => {
  const service = setService();

  it('have these jobs', () => {
    const { definitions } = service.context.services.jobs.registry;
    expect(definitions().map(({ name }) => name)).toEqual([
      'preview_cleanup',
      'media_sweep',
      'prune_refused_urls',
      'prune_fetch_history',
      'prune_audit_log',
      'delete_previews',
      'delete_media',
      'refresh_previews',
    ]);
  });

  it('do not walk over the media folder in the first minute', () => {
    const { definitions } = service.context.services.jobs.registry;
    const walk = definitions().find(({ name }) => name === 'media_sweep');
    expect(walk?.nextRunTs()).toBeGreaterThan(service.clock.now() + MINUTE_MS);
  });
});
