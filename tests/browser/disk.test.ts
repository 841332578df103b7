import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { NEWS, liveADay } from './support/world.js';

describe.skipIf(findChromium() === null)('what media takes on disk', () => {
  const stage = setStage({});

  it('is one figure on the overview, on the page of media and in the API', async () => {
    await liveADay(stage.world);
    const { overview } = stage.world.service.context.services;
    const { diskBytes } = await overview.mediaSpace();
    // Counts are kept for a while.
    await expect.poll(async () => (await overview.totals()).mediaBytes).toBe(diskBytes);

    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/');
    const figure = page.getByRole('link', { name: 'Media on disk' }).locator('span').nth(1);
    const shown = (await figure.textContent()) ?? '';
    await visitor.goto('/previews?tab=media');
    await page.getByText(`${shown} in files and thumbnails`).waitFor();
    const table = page.getByRole('list', { name: 'By host' });
    await table.getByRole('button', { name: NEWS }).click();
    await page.waitForURL(/host=/);
  });
});
