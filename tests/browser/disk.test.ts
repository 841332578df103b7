import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { NEWS, liveADay } from './support/world.js';

describe.skipIf(findChromium() === null)('what media takes on disk', () => {
  const stage = setStage({});

  it('is one figure on the overview, on the page of media and in the API', async () => {
    await liveADay(stage.world);
    const { overview } = stage.world.service.context.services.overview;
    const [counts, space] = await Promise.all([overview.totals(), overview.mediaSpace()]);
    expect(space.diskBytes).toBe(counts.mediaBytes);
    expect(space.byHost.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(space.diskBytes);

    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/');
    const figure = page.getByRole('link', { name: 'Media on disk' }).locator('span').nth(1);
    const shown = (await figure.textContent()) ?? '';
    await visitor.goto('/previews?tab=media');
    await page.getByText(`${shown} on disk in files and thumbnails`).waitFor();
    const table = page.getByRole('table', { name: 'By host' });
    await table.getByRole('button', { name: NEWS }).click();
    await page.waitForURL(/host=/);
  });

  it('is given back after a dialog that names what goes', async () => {
    const { client } = stage.world.service.context.parts.database;
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/previews?tab=media&view=table');
    await page.getByRole('row').filter({ hasText: 'meadow.jpg' }).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 1 media item?' });
    await dialog.getByRole('listitem').first().waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([stage.world.at('/meadow.jpg')]);
    expect(await visitor.violations()).toEqual([]);
    const url = stage.world.at('/meadow');
    const rows = () => Promise.all([client.media.count(), client.previewCache.count({ where: { url } })]);
    const [media, previews] = await rows();
    expect(previews).toBe(1);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alert').filter({ hasText: 'Deleted 1 media item' }).waitFor();
    expect(await rows()).toEqual([media - 1, 0]);

    // What named it is forgotten.
    await visitor.goto(`/previews/view?url=${encodeURIComponent(url)}`);
    await page.getByText('No preview of this address is stored').waitFor();
  });
});
