import { describe, expect, it } from 'vitest';

import { proxyLines } from '../../src/config/output/proxy/proxy-lines.js';
import { DAY_MS } from '../../src/core/base/clock.js';
import { makeKeyRecord, makeTestKey } from '../support/origins/key-record-maker.js';
import { OWN_NAME } from '../support/service.js';
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

  it('takes keys under our own name for ours only where they are', async () => {
    const { service, origin } = stage.world;
    const ours = origin.respond;
    const validUntilTs = service.clock.now() + DAY_MS;
    const [ownKey] = await service.context.services.operators.keys.signingKeys();
    const records = ['other', ownKey?.keyId.replace('ed25519:', '') ?? ''].map((version) =>
      makeKeyRecord({ serverName: OWN_NAME, keys: [makeTestKey(version)], validUntilTs }),
    );
    const visitor = await stage.visit({ role: 'operator' });
    await visitor.goto('/');
    const step = visitor.page.getByRole('listitem').filter({ hasText: 'Our own keys are published' });
    const button = step.getByRole('button', { name: 'Test: Our own keys are published' });
    for (const record of records) {
      origin.respond = (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(record);
      await button.click();
      await step.getByRole('alert').filter({ hasText: 'another server answers' }).waitFor();
    }
    origin.respond = ours;
    await button.click();
    await step.getByText('Again', { exact: true }).waitFor();
    expect(await step.getByRole('alert').count()).toBe(0);
  });

  it('shows a viewer no steps, and the way to the first request', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    await visitor.goto('/');
    await visitor.page.getByLabel('curl line', { exact: true }).waitFor();
    expect(await visitor.page.getByText('First steps').count()).toBe(0);
  });
});
