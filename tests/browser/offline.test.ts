import { beforeAll, describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY, liveADay } from './support/world.js';

/** Looked at side by side. */
const WINDOWS = 3;

/** One of each kind: `pages.test.ts` sees to it that every page asks nobody else. */
const PATHS = [
  '/',
  '/keys',
  `/keys/${HEALTHY}`,
  '/previews',
  '/previews?tab=try',
  '/previews?tab=media',
  '/blocking?tab=check',
  '/jobs?job=media_sweep',
  '/settings',
];

describe.skipIf(findChromium() === null)('a machine without a network, below another path', () => {
  const stage = setStage({ settings: { admin: { base_path: '/ops/vidimus' } } });
  beforeAll(() => liveADay(stage.world));

  it('has its pages, which ask no other origin and break no policy', async () => {
    const { world } = stage;
    const image = `/previews?tab=media&item=${await firstImage()}`;
    const preview = `/previews/view?url=${encodeURIComponent(world.at('/harbour'))}`;
    const paths = [...PATHS, preview, image];

    const found = await Promise.all(
      Array.from({ length: WINDOWS }, (_, start) =>
        look(paths.filter((_path, index) => index % WINDOWS === start)),
      ),
    );

    expect(found.flat()).toEqual([]);
  });

  it('leads from page to page below that path, and back to it after sign-in', async () => {
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Blocking' }).click();
    await page.getByRole('heading', { level: 1, name: 'Blocking' }).waitFor();
    expect(page.url()).toBe(`${visitor.base}/blocking`);
    await page.getByRole('button', { name: 'operator' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('One-time code').waitFor();
    expect(page.url()).toBe(`${visitor.base}/sign-in?next=%2Fblocking`);
  });

  /** Opens pages with everything else out of reach; gives what was asked elsewhere, refused or not shown. */
  async function look(paths: readonly string[]): Promise<string[]> {
    const visitor = await stage.visit({ role: 'admin' });
    const { page, refusals } = visitor;
    const errors: string[] = [];
    await page.addInitScript(`
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error('policy', violatedDirective, blockedURI))`);
    await visitor.context.route('**', (route) => {
      const url = route.request().url();
      if (url.startsWith(`${visitor.base}/`)) return route.continue();
      errors.push(url);
      return route.abort();
    });
    for (const path of paths) {
      await visitor.goto(path);
      const heading = await page.getByRole('heading', { level: 1 }).textContent();
      const alerts = await page.getByRole('alert').allTextContents();
      if (!heading || alerts.length > 0) errors.push(`not shown: ${path} ${alerts.join()}`);
    }
    return [...errors, ...refusals];
  }

  async function firstImage(): Promise<string> {
    const { media } = stage.world.service.context.parts.database.client;
    const [item] = await media.findMany({ where: { contentType: 'image/jpeg' }, take: 1 });
    return item?.mediaId ?? '';
  }
});
