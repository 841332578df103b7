import { describe, expect, it } from 'vitest';

import { HOUR_MS, MINUTE_MS } from '../../src/core/base/clock.js';
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

  it('shows a rule before and after by its fields, and only what was done in a span of time', async () => {
    const { service } = stage.world;
    const rule = { list: 'url_preview_url_blacklist', value: { hostname: 'a.example' }, note: 'x' };
    const entry = {
      actor: 'cleo',
      role: 'admin',
      method: 'code',
      action: 'addBlockRule',
      targetType: 'BlockRule',
      targetId: '7',
      outcome: 'ok',
      address: null,
      requestId: 'r3',
    } as const;
    const { auditLog } = service.context.services.operators;
    const changed = { before: rule, after: { ...rule, value: { path: '^/b' }, note: 'y' } };
    await auditLog.record({ ...entry, summary: 'Changed the rule', detail: changed });
    const between = new Date(service.clock.now() + MINUTE_MS)
      .toISOString()
      .slice(0, 'YYYY-MM-DDTHH:MM'.length);
    service.clock.advance(HOUR_MS);
    await auditLog.record({ ...entry, summary: 'Removed the rule', detail: { before: rule, after: null } });
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/access?tab=audit&actor=cleo');
    const table = page.getByRole('table', { name: 'Actions of operators' });
    await table.getByText('Removed the rule').waitFor();
    await page.getByRole('button', { name: 'Done any time' }).click();
    await page.getByLabel('Until (UTC)').fill(between.replace('T', ' '));
    await table.getByText('Removed the rule').waitFor({ state: 'detached' });
    await table.getByText('Changed the rule').waitFor();
    expect(new URL(page.url()).searchParams.get('to')).toBe(between);
    expect(await visitor.violations()).toEqual([]);
    await page.keyboard.press('Escape');

    await table.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Show entry' }).click();
    const changes = page.getByRole('list', { name: 'What changed' }).getByRole('listitem');
    await changes.first().waitFor();
    expect(await changes.allTextContents()).toEqual([
      'value.hostnamea.example→not set',
      'value.pathnot set→^/b',
      'notex→y',
    ]);
    expect(await visitor.violations()).toEqual([]);
  });

  it('shows the columns somebody chose, also after a reload', async () => {
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/access?tab=audit&show=all');
    const heads = async () =>
      (await page.getByRole('columnheader').allTextContents()).map((text) => text.trim());
    const [first = ''] = await heads();
    expect(first).not.toBe('');
    await page.getByRole('button', { name: 'Columns' }).click();
    const choice = page.getByRole('dialog', { name: 'Columns' }).getByRole('checkbox', { name: first });
    await choice.waitFor();
    expect(await visitor.violations()).toEqual([]);
    await choice.uncheck();
    await page.keyboard.press('Escape');
    expect(await heads()).not.toContain(first);

    await page.reload();
    await visitor.settled();
    expect(await heads()).not.toContain(first);
  });
});
