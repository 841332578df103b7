import { beforeAll, describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';

const NO_TIMES = 'from=yesterday&to=2026-02-31T00:00';

describe.skipIf(findChromium() === null)('a filter', () => {
  const stage = setStage();
  beforeAll(async () => {
    const { ask, at } = stage.world;
    for (const path of ['/harbour', '/meadow']) await ask(at(path));
  });

  it('whose words the dialog of a deletion says is the filter that the deletion counts by', async () => {
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto(`/previews?status=5xx&empty=no&${NO_TIMES}&size=1`);
    await page.getByRole('checkbox', { name: 'Select all rows on this page' }).check();
    await page.getByRole('button', { name: /^Tick all \d+ previews/ }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete all \d+ previews that match/ });
    await dialog.waitFor();
    expect(await dialog.locator('section p').first().textContent()).toBe('All that match: not empty');
  });
});
