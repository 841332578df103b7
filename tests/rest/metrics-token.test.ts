import { describe, expect, it } from 'vitest';

import { startTestService } from '../support/service.js';
import { setService } from '../support/world.js';

describe('metrics_require_token', () => {
  const service = setService({ settings: { metrics_require_token: true } });

  it.each([
    ['metrics', 200],
    ['admin_write', 401],
    ['preview', 401],
  ] as const)('a token of the scope %s gets %i', async (scope, status) => {
    const userId = scope === 'preview' ? '@a:b' : null;
    const wanted = { userId, label: '', expiresTs: null, scopes: [scope] };
    const { token } = await service.context.access.tokens.create(wanted);

    const answer = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });

    expect(answer.status).toBe(status);
  });

  it('nobody gets them without a token', async () => {
    expect((await fetch(`${service.url}/metrics`)).status).toBe(401);
  });
});

describe('metrics asked for without a pause', () => {
  it('take a part of the time only', async () => {
    const service = await startTestService();
    const { registry } = service.context.parts.metrics;
    const metrics = registry.metrics.bind(registry);
    let collectedMs = 0;
    registry.metrics = async () => {
      const startMs = performance.now();
      const text = await metrics();
      collectedMs += performance.now() - startMs;
      return text;
    };
    const startMs = performance.now();
    for (let time = 0; time < 20; time += 1) await (await fetch(`${service.url}/metrics`)).text();
    expect(collectedMs).toBeLessThan((performance.now() - startMs) / 4);
    await service.remove();
  });
});
