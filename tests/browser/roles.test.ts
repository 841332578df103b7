import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';

import type { Role } from '../../src/core/access/operators/viewer.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY, liveADay } from './support/world.js';

/** What a viewer must never be offered. */
const CHANGES =
  /^(add a rule|allow this|undo|delete.*…|clear|refresh|revoke|pause|resume|run now|store this|acknowledge…|diagnose|try\b|reload)/i;

describe.skipIf(findChromium() === null)('roles', () => {
  const stage = setStage();
  let secretUrl: string;
  let mediaId: string;
  beforeAll(async () => {
    secretUrl = stage.world.at('/harvest?reader=hush');
    await liveADay(stage.world);
    await stage.world.ask(secretUrl);
    const { media } = stage.world.service.context.parts.database.client;
    const [item] = await media.findMany({ where: { contentType: 'image/jpeg' }, take: 1 });
    mediaId = item?.mediaId ?? '';
  });

  const pages = () => [
    '/',
    '/keys',
    `/keys/${HEALTHY}`,
    '/keys?tab=events',
    '/previews',
    `/previews/view?url=${encodeURIComponent(stage.world.at('/harbour'))}`,
    '/previews?tab=media',
    `/previews?tab=media&item=${mediaId}`,
    '/blocking?tab=hits',
    '/jobs',
    '/jobs?job=media_sweep',
  ];

  interface Tour {
    /** Names of what can be pressed, the menu of the first row included. */
    controls: string[];
    /** Everything the server answered. */
    answers: string;
    /** Pages of the navigation. */
    links: string[];
  }

  /** Looks at all pages as somebody. */
  async function tour(role: Role): Promise<Tour> {
    const visitor = await stage.visit({ role });
    const { page } = visitor;
    const answers: Promise<string>[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/graphql')) answers.push(response.text().catch(() => ''));
    });
    const controls: string[] = [];
    for (const path of pages()) {
      await visitor.turnTo(path);
      controls.push(...(await namesOf(page)));
      const menus = page.getByRole('main').getByRole('button', { name: /^Actions/ });
      // An open drawer covers the list.
      const isCovered = (await page.getByRole('dialog').count()) > 0;
      if (isCovered || (await menus.count()) === 0) continue;
      await menus.first().click();
      await page.getByRole('menu').waitFor();
      controls.push(...(await page.getByRole('menuitem').allTextContents()));
    }
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    return {
      controls,
      answers: (await Promise.all(answers)).join('\n'),
      links: await links.allTextContents(),
    };
  }
  const namesOf = async (page: Page) => {
    const drawer = page.getByRole('dialog');
    const main = (await drawer.count()) > 0 ? drawer : page.getByRole('main');
    const sorting = page.getByRole('columnheader').getByRole('button');
    const [buttons, sorts] = [main.getByRole('button'), await sorting.allTextContents()];
    const links = (await main.getByRole('link').allTextContents()).filter((name) =>
      /^(try|diagnose)/i.test(name),
    );
    return [...(await buttons.allTextContents()).filter((name) => !sorts.includes(name)), ...links];
  };

  it('give a viewer no button that changes anything, no owner and no query string; an admin has all', async () => {
    const [viewer, admin] = await Promise.all([tour('viewer'), tour('admin')]);

    expect(viewer.controls.filter((name) => CHANGES.test(name))).toEqual([]);
    const links = viewer.links.map((name) => name.replace(/needs attention.*/, ''));
    expect(links).toEqual(['Overview', 'Keys', 'Our keys', 'Previews', 'Blocking', 'Jobs']);
    expect(viewer.answers).toContain('/harvest?…');
    expect(viewer.answers).not.toMatch(/@alice|hush/);
    for (const name of ['Delete records…', 'Clear', 'Delete…', 'Pause…', 'Run now', 'Refresh keys'])
      expect(admin.controls.join('\n')).toContain(name);
    expect(admin.answers).toContain('@alice:notary.test');
    expect(admin.answers).toContain('reader=hush');
  });

  it('tell a viewer which role a page needs that is not theirs', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    for (const [path, words] of [
      ['/access?tab=audit', 'Operators and admins see this page'],
      ['/settings', 'Operators and admins see this page'],
      ['/access', 'Operators and admins see this page'],
      ['/previews?tab=try', 'Trying requires the operator role'],
    ] as const) {
      await visitor.goto(path);
      await visitor.page.getByText(words).waitFor();
      expect(await visitor.page.getByRole('main').getByRole('button').count()).toBe(0);
    }
  });
});
