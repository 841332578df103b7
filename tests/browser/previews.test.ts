import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

import { SECOND_MS } from '../../src/core/base/clock.js';
import { findChromium } from './support/chromium.js';
import { enterCode } from './support/enter-code.js';
import { setStage } from './support/stage.js';
import { NEWS } from './support/world.js';

/** Three pages of the list, the last one short. */
const STORED = 55;

describe.skipIf(findChromium() === null)('lists of previews', () => {
  const stage = setStage();
  beforeAll(async () => {
    const { ask, at, service } = stage.world;
    for (let count = 0; count < STORED; count += 1) {
      service.clock.advance(2 * SECOND_MS);
      await ask(at(`/notes?n=${count}&all`));
    }
    await ask(at('/notes', '127.0.0.1'));
  });

  const table = (page: Page) => page.getByRole('table', { name: 'Stored previews' });
  const rowsOf = async (page: Page) =>
    (await table(page).getByRole('row').allTextContents()).map((text) => /n=\d+/.exec(text)?.[0]).slice(1);
  const orderOf = (page: Page) =>
    page.getByRole('columnheader', { name: 'Expires' }).getAttribute('aria-sort');

  it('keep filter, order and page when one is opened and Back pressed, and in the address for others', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/previews');
    const search = page.getByRole('textbox', { name: 'Search' });
    await search.fill(`host:${NEWS}`);
    await search.press('Enter');
    await page.getByText(`1–25 of ${STORED}`).waitFor();
    await page.getByRole('button', { name: 'Expires', exact: true }).click();
    await expect.poll(() => rowsOf(page).then(([first]) => first)).toBe('n=0');
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(`26–50 of ${STORED}`).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText(`51–55 of ${STORED}`).waitFor();
    const shown = ['n=50', 'n=51', 'n=52', 'n=53', 'n=54'];
    await expect.poll(() => rowsOf(page)).toEqual(shown);
    const address = page.url();

    await table(page).getByRole('link').nth(2).click();
    await page.waitForURL('**/previews/view?**');
    await page.goBack();

    await expect.poll(() => rowsOf(page)).toEqual(shown);
    expect(page.url()).toBe(address);
    expect(await orderOf(page)).toBe('ascending');
    await page.getByRole('button', { name: `Remove filter host ${NEWS}` }).waitFor();

    const other = await stage.visit({ role: null });
    await other.page.goto(address);
    const { code } = await stage.world.service.context.access.codes.create('operator');
    await enterCode(other.page, code);
    await expect.poll(() => rowsOf(other.page)).toEqual(shown);
    expect(other.page.url()).toBe(address);
    expect(await orderOf(other.page)).toBe('ascending');
  });

  it('hide a password in their address', async () => {
    const { ask, at } = stage.world;
    await ask(at('/meadow?secret').replace('://', '://ana:wonderland@'));
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/previews?q=secret');
    await table(page).getByRole('link').first().click();
    await page.getByText('…@').first().waitFor();
    expect(await page.content()).not.toContain('wonderland');
  });

  it('show an untrusted title as text with marks, wherever it stands, and run nothing of it', async () => {
    const { ask, at, service } = stage.world;
    const url = at('/evil');
    await ask(url);
    // Previews are made without such characters and tags; the store may hold older ones.
    const { previewCache } = service.context.parts.database.client;
    const [row] = await previewCache.findMany({ where: { url } });
    const bad = '\u202Egnp.exe <img src=x onerror=alert(1)>';
    const spoil = (text: string | null | undefined) =>
      text?.replaceAll(/gnp\.exe(?: <img[^>]*>)?/g, bad) ?? '';
    const data = { title: spoil(row?.title), openGraph: spoil(row?.openGraph) };
    await previewCache.updateMany({ where: { url }, data });
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const path of ['/previews', `/previews/view?url=${encodeURIComponent(url)}`]) {
      await visitor.goto(path);
      const title = page.getByText('gnp.exe <img src=x onerror=alert(1)>').first();
      expect(await title.textContent()).toBe('U+202Egnp.exe <img src=x onerror=alert(1)>');
      expect(await page.content()).not.toContain('\u202E');
      expect(await page.title()).not.toContain('\u202E');
      expect(
        await page.evaluate('[...document.images].every((image) => image.src.includes("/api/media/"))'),
      ).toBe(true);
    }
    expect(dialogs).toEqual([]);
  });
});
