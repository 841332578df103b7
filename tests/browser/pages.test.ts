import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { NO_BROWSER, findChromium, launchChromium, mustHaveChromium } from './support/chromium.js';
import { STATES, type State } from './support/states.js';
import { VISITS } from './support/visits.js';
import { LOOKS, SIZES, Visitor, type Look } from './support/visitor.js';
import {
  HEALTHY,
  RELOADED,
  ROTATED,
  createWorld,
  liveADay,
  replaceKey,
  storePast,
  type World,
} from './support/world.js';

const SCREENSHOTS = fileURLToPath(new URL('../../docs/screenshots', import.meta.url));
/** Pictures of the documents. */
const KEPT = readdirSync(SCREENSHOTS);
/** With the variable PAGE_IMAGES they are drawn anew. */
const DRAWN = new Set(process.env['PAGE_IMAGES'] === undefined ? [] : KEPT);

const imageOf = (name: string, { theme, size }: Look) => `${name}-${theme}-${SIZES[size].width}.png`;

it('every picture of the documents is of a page that there is', () => {
  const images = VISITS.flatMap(({ name }) => LOOKS.map((look) => imageOf(name, look)));
  expect(images).toEqual(expect.arrayContaining(KEPT));
});

it.runIf(mustHaveChromium())('there is a browser to look at the pages with', () => {
  expect(findChromium() ?? NO_BROWSER).not.toBe(NO_BROWSER);
});

describe.skipIf(findChromium() === null)('every page of the web UI', () => {
  let world: World;
  let browser: Browser;

  beforeAll(async () => {
    // Below another path, as behind somebody's proxy.
    world = await createWorld({ settings: { admin: { base_path: '/ops/vidimus' } } });
    await storePast(world, HEALTHY);
    await liveADay(world);
    await replaceKey(world, ROTATED);
    await world.service.context.services.operators.access.auditLog.record(RELOADED);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await world?.remove();
  });

  describe('in both sizes and themes', () => {
    let visitor: Visitor;
    let anonymous: Visitor;

    beforeAll(async () => {
      visitor = await Visitor.open(browser, world.service, { isTimeFixed: true, role: 'admin' });
      anonymous = await Visitor.open(browser, world.service, { isTimeFixed: true, role: null });
    });

    afterAll(async () => {
      await visitor?.close();
      await anonymous?.close();
    });

    const look = async (who: Visitor, name: string, { theme, size }: Look) => {
      await who.wear(theme);
      await who.resize(size);
      const image = imageOf(name, { theme, size });
      if (DRAWN.has(image)) await who.page.screenshot({ path: join(SCREENSHOTS, image) });
      const violations = await who.violations(theme === 'light' ? 'all' : 'colors');
      expect({ size, theme, violations }).toEqual({ size, theme, violations: [] });
      expect(await who.overflow()).toBeLessThanOrEqual(0);
    };

    it.each(VISITS)(
      '$name: shows what was seeded, fits, is accessible, and asks nobody else',
      async (visit) => {
        const who = visit.role === null ? anonymous : visitor;
        // Some of a layout is decided when a page is opened: half of them are opened on the phone.
        const begin = VISITS.indexOf(visit) % 2 === 0 ? 0 : LOOKS.length / 2;
        const looks = [...LOOKS.slice(begin), ...LOOKS.slice(0, begin)];
        who.repeatedFailures.length = 0;
        await who.page.setViewportSize(SIZES[looks[0]!.size]);
        await who.turnTo(await visit.path(world));
        await who.page.getByRole('heading', { level: 1, name: visit.heading }).waitFor();
        await visit.act?.(who.page, world);
        const { drawer } = visit;
        const part =
          drawer === undefined
            ? who.page.getByRole('main')
            : who.page.getByRole('dialog', { name: drawer, exact: true });
        await part.getByText(visit.shows).filter({ visible: true }).first().waitFor();
        for (const each of looks) await look(who, visit.name, each);
        expect(who.repeatedFailures).toEqual([]);
      },
    );

    const lookAtState = async ({ path, act }: State) => {
      const { page } = visitor;
      const isAsItShouldBe = async () => {
        expect(await visitor.violations()).toEqual([]);
        expect(await visitor.overflow()).toBeLessThanOrEqual(0);
      };
      await visitor.goto(await path(world));
      await visitor.wear('light');
      await visitor.resize('wide');
      await act(page, world);
      await isAsItShouldBe();
      await page.setViewportSize(SIZES.phone);
      await visitor.wear('dark');
      await isAsItShouldBe();
    };

    it.each(STATES)('$name: fits, is accessible, and asks nobody else', async (state) => {
      visitor.repeatedFailures.length = 0;
      try {
        await lookAtState(state);
      } finally {
        await state.after?.(visitor.page, world);
      }
      const { provokes } = state;
      const isProvoked = (failure: string) => provokes !== undefined && failure.includes(provokes);
      expect(visitor.repeatedFailures.filter((failure) => !isProvoked(failure))).toEqual([]);
      expect(visitor.repeatedFailures.some(isProvoked)).toBe(provokes !== undefined);
    });
  });
});
