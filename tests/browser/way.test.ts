import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY, WRONG_NAME } from './support/world.js';

describe.skipIf(findChromium() === null)('ways through the pages', () => {
  const stage = setStage();

  it('leads a viewer from the overview to no page that is kept from viewers', async () => {
    await stage.world.ask(stage.world.at('/broken'));
    const viewer = await stage.visit({ role: 'viewer' });
    await viewer.goto('/');
    await viewer.page
      .getByRole('heading', { name: 'Everything works' })
      .or(viewer.page.getByText(/problem/))
      .first()
      .waitFor();
    const hrefs = await viewer.page
      .locator('a[href]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    expect(hrefs.filter((href) => /\/(?:settings|try|audit|access)\b/.test(href))).toEqual([]);
    expect(hrefs.some((href) => href.endsWith('/previews?tab=memory&state=FAILED'))).toBe(true);
  });

  it('shows only the failing servers behind the link of the health check', async () => {
    await stage.world.askKeys(HEALTHY);
    await stage.world.askKeys(WRONG_NAME);
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/keys?failing=true');
    await page.getByText(WRONG_NAME).waitFor();
    expect(await page.getByText(HEALTHY).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Failing' }).getAttribute('aria-pressed')).toBe('true');
  });

  it('takes a qualifier out of the search box and leaves the words', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/keys');
    const box = page.getByRole('textbox', { name: 'Search' });
    await box.fill('state:expired');
    await box.press('Enter');
    await page.waitForURL(/state=EXPIRED/);
    expect(await box.inputValue()).toBe('');
  });

  it('starts a tab at its newest entry whatever page another tab was on', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await stage.world.askKeys(HEALTHY);
    await visitor.goto(`/keys/${HEALTHY}?tab=fetches&after=a-place-in-the-fetches`);
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.waitForURL(/tab=events/);
    expect(page.url()).not.toContain('after=');
    await page.getByRole('list', { name: 'Key events' }).or(page.getByText('Nothing has happened')).waitFor();
  });

  it('says of a server that failed once no more than that, and counts it before the minute is over', async () => {
    await stage.world.askKeys(WRONG_NAME);
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/');
    const failing = page.getByRole('list', { name: 'Totals' }).getByRole('link', { name: 'Servers failing' });
    expect(await failing.textContent()).toMatch(/last fetch failed$/);
    await page.getByText(/[1-9]\d* of [1-9]\d* key fetches failed in the last hour\./).waitFor();
  });

  it('shows a long setting to its last word when asked', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `server-${index}.meadow.example`);
    await stage.world.restart({ federation_domain_whitelist: names });
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/settings?q=federation_domain_whitelist');
    await page.getByText('server-7.meadow.example').waitFor();
    expect(await page.getByText('server-50.meadow.example').count()).toBe(0);
    await page.getByRole('button', { name: 'Show 92 more' }).click();
    await page.getByText('server-50.meadow.example').waitFor();
    await page.getByRole('button', { name: 'Show less' }).click();
    expect(await page.getByText('server-50.meadow.example').count()).toBe(0);
  });
});
