import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { describe, expect, it } from 'vitest';

import { preview } from '../support/clients/preview-client.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import type { Visitor } from './support/visitor.js';

/** What a preview goes through, in order. */
const STAGES = [
  'URL rules',
  'Memory cache',
  'Stored previews',
  'oEmbed look-up',
  'Name resolution',
  'Address check',
  'Connect',
  'TLS',
  'Redirects',
  'Download',
  'Decode',
  'Parse',
  'oEmbed discovery',
  'Image',
  'Thumbnails',
  'Title fallback',
  'Prune',
  'Store',
];

/** Pixels of an image as loaded; 0 while it is not. */
const widthOf = (image: unknown) => (image as { naturalWidth: number }).naturalWidth;

describe.skipIf(findChromium() === null)('trying a preview', () => {
  const stage = setStage();

  /** Presses Try; gives the texts of the stages. */
  async function tryUrl({ page }: Visitor, url: string): Promise<string[]> {
    await page.getByRole('textbox', { name: 'URL to try' }).fill(url);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    const stages = page.getByRole('list', { name: 'Stages of the preview' });
    // The card comes when all stages have ended.
    await page.getByRole('figure').first().waitFor();
    return stages.getByRole('listitem').allTextContents();
  }

  it('lists every stage in order with its time, draws the card, and shows the body that clients get', async () => {
    const { world } = stage;
    const url = world.at('/harbour');
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/previews?tab=try');
    const stages = await tryUrl(visitor, url);

    const titles = stages.map((text) => STAGES.find((name) => text.startsWith(name)));
    expect(titles).toEqual(STAGES.filter((name) => titles.includes(name)));
    expect(titles.length).toBeGreaterThan(7);
    for (const text of stages) expect(text).toMatch(/\d ms$/);
    const [large] = await page.getByRole('figure').all();
    expect(await large?.textContent()).toMatch(
      /A new lighthouse for the harbour.*What the valley talks about/,
    );
    const image = page.getByRole('figure').first().locator('img');
    await expect.poll(() => image.evaluate(widthOf)).toBeGreaterThan(400);
    await page.getByRole('button', { name: 'Copy answer to clients' }).click();
    const shown = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as object;
    const { body } = await preview(world.service, world.token, url);
    expect(shown).toEqual(body);
    expect(Object.keys(body)).toContain('og:image');
  });

  /** A page of the site whose answer waits to be given. */
  function hold(path: string): { url: string; asked: Promise<ServerResponse> } {
    const { site, at } = stage.world;
    const asked = new Promise<ServerResponse>((resolve) => {
      site.pages.set(path, (_request, response) => resolve(response));
    });
    return { url: at(path), asked };
  }

  it('draws its stages while the site is still silent, and Cancel ends the download', async () => {
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
});
