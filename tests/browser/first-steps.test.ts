import { describe, expect, it } from 'vitest';

import { proxyLines } from '../../src/config/output/proxy/proxy-lines.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { LOOKS } from './support/visitor.js';

describe.skipIf(findChromium() === null)('the first page of a service that has done nothing yet', () => {
  const stage = setStage();

  it('shows the lines of four proxies, fits and is accessible in every look', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/');
    const step = page.getByRole('listitem').filter({ hasText: 'Clients get the images' });
    for (const [name, server] of [
      ['HAProxy', 'haproxy'],
      ['Apache', 'apache'],
      ['Caddy', 'caddy'],
      ['nginx', 'nginx'],
    ] as const) {
      await step.getByText(name, { exact: true }).click();
      const lines = step.getByLabel(`lines for ${name}`, { exact: true });
      const { config } = stage.world.service.context;
      expect(await lines.textContent()).toBe(proxyLines(config, server).trimEnd());
    }
    await step.getByRole('button', { name: 'Copy lines for nginx' }).waitFor();
    await page.getByRole('heading', { name: 'No traffic yet' }).waitFor();

    for (const { theme, size } of LOOKS) {
      await visitor.wear(theme);
      await visitor.resize(size);
      expect(await visitor.violations(theme === 'light' ? 'all' : 'colors')).toEqual([]);
      expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    }
  });

  it('shows a viewer no steps, and the way to the first request', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    await visitor.goto('/');
    await visitor.page.getByLabel('curl line', { exact: true }).waitFor();
    expect(await visitor.page.getByText('First steps').count()).toBe(0);
  });
});
