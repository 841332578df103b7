import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { RELOADED } from './support/world.js';

describe.skipIf(findChromium() === null)('the audit page', () => {
  const stage = setStage();

  it('shows changes only, all of it when asked, and the settings a reload changed as a diff', async () => {
    const { service } = stage.world;
    await service.context.services.operators.auditLog.record(RELOADED);
    await service.context.services.operators.auditLog.record({
      actor: 'ben',
      role: 'admin',
      method: 'code',
      action: 'signIn',
      targetType: null,
      targetId: null,
      summary: 'ben signed in',
      outcome: 'ok',
      address: null,
      requestId: 'r2',
      detail: null,
    });
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/settings');
    await page.getByRole('link', { name: 'History' }).click();
    const table = page.getByRole('table', { name: 'Actions of operators' });
    await table.getByText('Reload the configuration').waitFor();
    await visitor.goto('/access?tab=audit');
    await table.getByText('Reload the configuration').waitFor();
    expect(await table.textContent()).not.toContain('ben signed in');

    await page.getByRole('button', { name: 'Changes only' }).click();
    await table.getByText('ben signed in').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'Reload' })
      .getByRole('button', { name: 'Actions' })
      .click();
    await page.getByRole('menuitem', { name: 'Show entry' }).click();
    const changes = page.getByRole('list', { name: 'What changed' });
    await changes.waitFor();

    const told = (await changes.getByRole('listitem').allTextContents()).map((text) =>
      text.replaceAll(/\s+/g, ' '),
    );
    expect(told).toEqual([
      'max_spider_size (takes effect after restart)5M→6M',
      expect.stringMatching(/^ip_range_whitelist− 10\.0\.0\.2 ?\+ 10\.0\.0\.3 ?1 unchanged$/),
    ]);
    expect(await visitor.violations()).toEqual([]);
  });
});
