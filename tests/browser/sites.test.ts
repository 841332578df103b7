import { createHash } from 'node:crypto';

import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';

import { hostEnd } from '../../src/core/base/text/url.js';
import { numberedMediaId } from '../graphql/previews/numbered-media-id.js';
import type { TestService } from '../support/service.js';
import { restTheCaretakers } from '../support/stored-pages.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';

/** As many as were left behind without a word. */
const BELOW = 47;
const HOSTS = ['evil.example', ...Array<string>(BELOW).fill('www.evil.example'), 'notevil.example'];

/** Stores a preview and its page for each. */
async function storeHosts({ clock, context }: TestService): Promise<void> {
  const { client } = context.parts.database;
  const ts = BigInt(clock.now());
  const rows = HOSTS.map((host, index) => ({
    url: `https://${host}/page-${index}`,
    mediaId: numberedMediaId(index),
    host,
    hostEnd: hostEnd(host),
    createdTs: ts,
  }));
  await client.previewCache.deleteMany();
  await client.media.deleteMany();
  await client.media.createMany({
    data: rows.map(({ url, ...row }, index) => ({
      ...row,
      urlCache: url,
      userId: `@user-${index % 2}:test`,
      contentType: 'text/html',
      sizeBytes: 100,
      sha256: '',
    })),
  });
  await client.previewCache.createMany({
    data: rows.map((row) => ({
      ...row,
      urlSha256: createHash('sha256').update(row.url).digest('hex'),
      responseCode: 200,
      openGraph: '{}',
      downloadTs: ts,
      expiresTs: ts + 3_600_000n,
    })),
  });
}

describe.skipIf(findChromium() === null)('a site with its subdomains', () => {
  const stage = setStage();
  beforeEach(async () => {
    await restTheCaretakers(stage.world.service);
    await storeHosts(stage.world.service);
  });

  const previews = () => stage.world.service.context.parts.database.client.previewCache;
  const focused = (page: Page) =>
    page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.tagName',
    );

  it('is purged by filter after a dialog that says the filter, the first five and the number', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/previews?host=.evil.example&state=FRESH');
    await page.getByRole('button', { name: 'Delete all…' }).click();
    const dialog = page.getByRole('dialog', { name: `Delete all ${BELOW + 1} previews that match?` });
    const about = dialog.getByRole('region', { name: 'Affected' });
    await about.getByText(`and ${BELOW - 4} more`).waitFor();
    expect(await about.textContent()).toContain('host evil.example with subdomains, fresh');
    expect(await about.getByRole('listitem').count()).toBe(5);
    expect(await visitor.violations()).toEqual([]);

    const button = dialog.getByRole('button', { name: 'Delete' });
    expect(await button.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill(String(BELOW + 1));
    await button.click();

    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => previews().count()).toBe(1);
    await page.getByText('No preview matches').waitFor();
    expect(await focused(page)).toBe('BUTTON');
  });
});
