import { beforeAll, describe, expect, it } from 'vitest';

import { findChromium } from './chromium.js';
import { setStage } from './stage.js';
import { HEALTHY, liveADay } from './world.js';

const PATHS = [
  '/',
  '/keys',
  `/keys/${HEALTHY}`,
  `/keys/${HEALTHY}?tab=fetches`,
  `/keys/${HEALTHY}?tab=diagnose`,
  `/keys/${HEALTHY}?tab=events`,
  '/keys/own',
  '/previews',
  '/previews?tab=memory',
  '/try',
  '/media',
  '/blocking',
  '/blocking?tab=hits',
  '/blocking?tab=check',
  '/jobs',
  '/jobs/media_sweep',
  '/access',
  '/settings',
  '/audit',
  '/api',
];

describe.skipIf(findChromium() === null)('a machine without a network, below another path', () => {
  const stage = setStage({ settings: { admin: { base_path: '/ops/vidimus' } } });
  beforeAll(() => liveADay(stage.world));

  it('has every page, which asks no other origin and breaks no policy', async () => {
    const { world } = stage;
    const { origin } = new URL(world.service.url);
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await page.addInitScript(`
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error('policy', violatedDirective, blockedURI))`);
    const elsewhere: string[] = [];
    await visitor.context.route('**', (route) => {
      const url = route.request().url();
      if (url.startsWith(`${origin}/ops/vidimus/`)) return route.continue();
      elsewhere.push(url);
      return route.abort();
    });
    const { mediaId } = await firstPicture();
    const preview = `/previews/view?url=${encodeURIComponent(world.at('/harbour'))}`;

    for (const path of [...PATHS, preview, `/media/${mediaId}`]) {
      await visitor.goto(path);
      expect(await page.getByRole('heading', { level: 1 }).textContent(), path).not.toBe('');
      expect(await page.getByRole('alert').count(), path).toBe(0);
    }

    expect(elsewhere).toEqual([]);
    expect(visitor.refusals).toEqual([]);
  }, 90_000);

  it('leads from page to page below that path, and back to it after sign-in', async () => {
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Media' }).click();
    await page.getByRole('heading', { level: 1, name: 'Media' }).waitFor();
    expect(page.url()).toBe(`${visitor.base}/media`);
    await page.getByRole('button', { name: 'operator' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('One-time code').waitFor();
    expect(page.url()).toBe(`${visitor.base}/sign-in?next=%2Fmedia`);
  });

  async function firstPicture(): Promise<{ mediaId: string }> {
    const { media } = stage.world.service.context.parts.database.client;
    const [item] = await media.findMany({ where: { contentType: 'image/jpeg' }, take: 1 });
    return { mediaId: item?.mediaId ?? '' };
  }
});
