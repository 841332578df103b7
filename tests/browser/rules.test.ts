import { beforeAll, describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';

describe.skipIf(findChromium() === null)('rules from the pages', () => {
  const stage = setStage();
  beforeAll(async () => {
    const { world } = stage;
    for (const path of ['/harbour', '/meadow', '/private/x']) await world.ask(world.at(path));
    await world.service.context.services.previews.hits.flush();
  });

  it('one is added after a look at what it would do, disabled, removed, and brought back', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/blocking');
    await page.getByRole('button', { name: 'Add a rule…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Path').fill('^(');
    await dialog.getByRole('button', { name: 'See what it would do' }).click();
    await dialog.getByText('no usable pattern').waitFor();
    await dialog.getByLabel('Path').fill('/harbour');
    await dialog.getByLabel('Note').fill('asked for by its owner');
    await dialog.getByRole('button', { name: 'See what it would do' }).click();
    await dialog.getByText('would be refused that are allowed now', { exact: false }).first().waitFor();
    await dialog
      .getByRole('list', { name: /refused that are allowed/ })
      .getByText('/harbour')
      .waitFor();
    expect(await visitor.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const table = page.getByRole('table', { name: 'Rules' });
    await table.getByText('asked for by its owner').waitFor();
    await page.getByRole('heading', { name: 'Changed just now' }).waitFor();
    expect(await visitor.violations()).toEqual([]);
    const menu = table
      .getByRole('row', { name: /asked for by its owner/ })
      .getByRole('button', { name: /^Actions/ });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Disable…' }).click();
    await dialog.getByRole('button', { name: 'See what it would do' }).click();
    await dialog
      .getByRole('list', { name: /allowed that are refused/ })
      .getByText('/harbour')
      .waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await table.getByText('disabled', { exact: true }).waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await dialog.getByRole('button', { name: 'See what that would do' }).click();
    await dialog.getByRole('status').waitFor();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await table.getByText('asked for by its owner').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await table.getByText('asked for by its owner').waitFor();
  });

  it('a refusal offers the narrowest rule that allows it', async () => {
    const { world } = stage;
    const url = world.at('/private/x');
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/blocking?tab=hits');
    await page
      .getByRole('row', { name: /private\/x/ })
      .getByRole('button', { name: /^Actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Allow this…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Path').inputValue()).toBe('/private/x');
    await dialog.getByRole('button', { name: 'See what it would do' }).click();
    await dialog.getByRole('list', { name: /allowed that are refused/ }).waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await visitor.goto(`/blocking?tab=check&url=${encodeURIComponent(url)}`);
    await page.getByText(/Allowed by rule \d+ of url_preview_url_whitelist/).waitFor();
    await visitor.goto(`/blocking?tab=check&url=${encodeURIComponent(world.at('/private/other'))}`);
    await page.getByRole('button', { name: 'Allow this address…' }).waitFor();
    expect(await visitor.violations()).toEqual([]);
  });

  it('a try says which rule refused, and offers to allow it; the lists are exported as YAML', async () => {
    const visitor = await stage.visit({ role: 'operator', size: 'phone', theme: 'dark' });
    const { page } = visitor;
    await visitor.goto(`/try?url=${encodeURIComponent(stage.world.at('/private/third'))}`);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText(/by entry 1 of url_preview_url_blacklist/).waitFor();
    await page.getByRole('button', { name: 'Allow this address…' }).waitFor();
    expect(await visitor.violations()).toEqual([]);
    await visitor.goto('/blocking');
    await page.getByRole('button', { name: 'Export as YAML…' }).click();
    await page.getByRole('dialog').getByLabel('rules as YAML', { exact: true }).waitFor();
    expect(await visitor.violations()).toEqual([]);
  });
});
