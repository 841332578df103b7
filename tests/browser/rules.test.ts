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

  it('a pattern is added after a look at what it would refuse, and removed', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/blocking');
    await page.getByRole('button', { name: 'Block…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Host or pattern').fill('*');
    await dialog.getByRole('button', { name: 'See what it would refuse' }).click();
    await dialog.getByText('would match every address').waitFor();
    await dialog.getByLabel('Host or pattern').fill('*/harbour');
    await dialog.getByRole('button', { name: 'See what it would refuse' }).click();
    await dialog.getByText(/^Would have refused 1 of the last \d+ addresses\.$/).waitFor();
    await dialog.getByRole('list', { name: 'Would be refused' }).getByText('/harbour').waitFor();
    expect(await visitor.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Block', exact: true }).click();
    const table = page.getByRole('table', { name: 'Rules' });
    const row = table.getByRole('row', { name: /\/harbour/ });
    await row.waitFor();
    expect(await visitor.violations()).toEqual([]);
    await row.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await row.waitFor({ state: 'detached' });
  });
});
