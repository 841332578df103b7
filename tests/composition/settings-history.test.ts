import { afterEach, describe, expect, it } from 'vitest';

import { startTestService, type TestService } from '../support/service.js';
import { testEngines } from '../support/store/databases.js';

describe.each(testEngines())('the history of settings, on %s', (engine) => {
  let service: TestService;
  afterEach(() => service.remove());

  it('a start with other settings than the last time is in audit, with before and after; others are not', async () => {
    const jobs = { instance: 'one' };
    service = await startTestService({ engine, settings: { jobs, max_spider_size: '5M' } });
    const starts = async () => {
      const { client } = service.context.parts.database;
      return client.auditEvent.findMany({ where: { action: 'start' } });
    };
    expect(await starts()).toEqual([]);
    service = await service.restart({ max_spider_size: '6M' });
    const [entry] = await starts();
    expect(entry).toMatchObject({ actor: 'one', targetType: 'Settings' });
    expect(entry!.detail).toEqual({
      changes: [{ path: 'max_spider_size', from: '5M', to: '6M', waits: false }],
    });
    service = await service.restart({ max_spider_size: '6M' });
    expect(await starts()).toHaveLength(1);
  });
});
