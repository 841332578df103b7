import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY, NEWS } from './support/world.js';

describe.skipIf(findChromium() === null)('live and at hand', () => {
  const stage = setStage();

  /** A page of the site whose answer waits to be given. */
  function hold(path: string): { url: string; asked: Promise<ServerResponse> } {
    const { site, at } = stage.world;
    const asked = new Promise<ServerResponse>((resolve) => {
      site.pages.set(path, (_request, response) => resolve(response));
    });
    return { url: at(path), asked };
  }

  it('a try draws its stages while the site is still silent, and Cancel ends the download', async () => {
    const { url, asked } = hold('/silent');
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/previews?tab=try');
    await page.getByRole('textbox', { name: 'URL to try' }).fill(url);
    await page.keyboard.press('Enter');
    const response = await asked;
    const stages = page.getByRole('list', { name: 'Stages so far' });
    const last = async () => (await stages.getByRole('listitem').allTextContents()).at(-1);

    await expect.poll(last).toMatch(/^Download.*under way/);
    expect(await stages.getByText('Name resolution').count()).toBe(1);
    expect(await visitor.violations()).toEqual([]);
    const closed = once(response, 'close');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await closed;
    await page.getByRole('heading', { name: 'Cancelled' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try', exact: true }).count()).toBe(1);
  });

  it('Ctrl K finds an address, its host, media and a server by keys alone', async () => {
    const { world } = stage;
    await world.askKeys(HEALTHY);
    const url = world.at('/harbour');
    await world.ask(url);
    const media = await world.service.context.parts.database.client.media.findFirstOrThrow();
    const visitor = await stage.visit({ role: 'operator', size: 'phone' });
    const { page } = visitor;
    await visitor.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const box = page.getByRole('combobox', { name: 'Go to' });
    const target = (label: string, kind: string) =>
      page
        .getByRole('dialog')
        .getByRole('option', { name: new RegExp(`${label.replaceAll(/[.?/]/g, '.')}.*${kind}$`) });
    const go = async (text: string) => {
      await page.keyboard.press('Control+k');
      await box.fill(text);
    };

    await go(url);
    await target(url, 'preview').waitFor();
    await target(NEWS, 'site').waitFor();
    await target(url, 'try').waitFor();
    await box.fill(media.mediaId);
    await target(media.mediaId, 'media').waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });

    await go(HEALTHY);
    await target(HEALTHY, 'server').waitFor();
    expect(await visitor.violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: HEALTHY }).waitFor();
  });
});
