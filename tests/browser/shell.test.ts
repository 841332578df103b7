import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { MINUTE_MS } from '../../src/core/base/clock.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';

/** Puts the tab behind another one, or in front again, as far as the page can tell. */
const show = (page: Page, visibility: 'hidden' | 'visible') =>
  page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${visibility}' });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);

describe.skipIf(findChromium() === null)('around the pages', () => {
  const stage = setStage();

  it('reads again while it is looked at, and not in a hidden tab', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/jobs');
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/graphql')) asked += 1;
    });
    await page.clock.runFor(10_000);
    await expect.poll(() => asked).toBeGreaterThanOrEqual(1);
    await visitor.quiet();

    await show(page, 'hidden');
    asked = 0;
    await page.clock.runFor(10 * MINUTE_MS);
    await visitor.quiet();
    expect(asked).toBe(0);

    await show(page, 'visible');
    await expect.poll(() => asked).toBeGreaterThanOrEqual(1);
  });

  it('has its navigation in a drawer on a phone, which closes when a page is chosen', async () => {
    const visitor = await stage.visit({ role: 'admin', size: 'phone' });
    const { page } = visitor;
    await visitor.goto('/');
    await page.getByRole('button', { name: 'Open navigation' }).click();
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'Blocking' }).click();

    await page.getByRole('heading', { level: 1, name: 'Blocking' }).waitFor();
    await menu.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/admin/blocking');
    expect(await visitor.overflow()).toBeLessThanOrEqual(0);
  });

  it('goes to pages, search and help by keys, but not while somebody types', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();

    const search = page.getByRole('textbox', { name: 'Search' });
    await page.keyboard.press('/');
    await page.locator(':focus').and(search).waitFor();
    await page.keyboard.type('gp?');
    expect(await search.inputValue()).toBe('gp?');
    expect(await page.getByRole('dialog').count()).toBe(0);

    await page.getByRole('main').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('says the outcome of an action for the eye and for the ear', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/jobs');

    await page
      .getByRole('row', { name: /^Compare media with files/ })
      .getByRole('button', { name: 'Run now' })
      .click();

    const words = 'Compare media with files has started';
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await page.getByRole('status').filter({ hasText: words }).getAttribute('aria-live')).toBe(
      'polite',
    );
  });

  it('shows what could not be read with the request id of the log, and heals by Retry', async () => {
    const { service } = stage.world;
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    const { client } = service.context.parts.database;
    await client.$executeRawUnsafe('ALTER TABLE blacklist_hit RENAME TO away');
    try {
      await visitor.goto('/blocking?tab=hits');
      const panel = page.getByRole('alert').filter({ hasText: 'This could not be read' });
      await panel.getByRole('button', { name: 'Copy request id' }).click();
      const requestId = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(await panel.textContent()).toContain(requestId);
      expect(await panel.textContent()).not.toMatch(/blacklist_hit|SQL|prisma/i);
      expect(service.logs.filter((line) => JSON.stringify(line).includes(requestId))).not.toEqual([]);
    } finally {
      await client.$executeRawUnsafe('ALTER TABLE away RENAME TO blacklist_hit');
    }

    await page.getByRole('button', { name: 'Retry' }).click();

    await page.getByText('Nothing was refused').waitFor();
    visitor.repeatedFailures.length = 0;
  });
});
