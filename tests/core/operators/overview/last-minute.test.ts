import { expect, it } from 'vitest';

import { startTestService } from '../../../support/service.js';

it('what a process counted in its last minute is written down when it ends', async () => {
  const service = await startTestService();
  for (let asked = 0; asked < 3; asked += 1) {
    await fetch(`${service.url}/_svc/key/v2/query/${service.context.config.server_name}`);
  }

  const next = await service.restart();

  const [queries] = await next.context.services.overview.series(['key_queries'], 'hour');
  expect(queries?.total).toBe(3);
  await next.remove();
});
