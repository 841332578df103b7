import { describe, expect, it } from 'vitest';

import { writeConfig } from '../../cli/vidimus.js';
import { findChromium } from '../support/chromium.js';
import { enterCode } from '../support/enter-code.js';
import { ALL_RESOURCES, invitation, setProcessStage } from './ui-of-process.js';

describe.skipIf(findChromium() === null)('commands on the pages', () => {
  const stage = setProcessStage();

  it('are not needed to see what an edited file would change, and to have it applied', async () => {
    const write = (settings: object) => writeConfig(stage.folder, { ...ALL_RESOURCES, ...settings });
    await write({ max_spider_size: '5M', url_preview_url_blacklist: [{ hostname: 'a.example' }] });
    const { base, code } = await invitation(stage.start(['serve', '-c', 'config.yaml']));
    const visitor = await stage.visit(base);
    const { page } = visitor;
    await visitor.goto('/settings');
    await enterCode(page, code);
    const open = () => page.getByRole('button', { name: 'Check and reload…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Configuration on disk' });
    const close = async () => {
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
      await dialog.waitFor({ state: 'detached' });
    };

    await write({ max_spider_size: 'five' });
    await open();
    await dialog.getByText('The file cannot be used. The running values are still the old ones.').waitFor();
    await dialog.getByText(/max_spider_size/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Reload' }).isDisabled()).toBe(true);
    expect(await visitor.violations()).toEqual([]);
    await close();

    await write({ max_spider_size: '6M', url_preview_url_blacklist: [{ hostname: 'b.example' }] });
    await open();
    await dialog.getByText('2 settings differ').waitFor();
    const told = await dialog.getByRole('listitem').allTextContents();
    expect(told.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      'url_preview_url_blacklist − {"hostname":"a.example"}+ {"hostname":"b.example"}0 unchanged',
      'max_spider_size 5M→6Mwaits for a restart',
    ]);
    expect(await visitor.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').filter({ hasText: 'Reloaded; the rest waits for a restart' }).waitFor();
    await visitor.goto('/blocking');
    await page.getByRole('table', { name: 'Rules' }).getByText('b.example').waitFor();
  });
});
