import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

import { launchChromium } from './chromium.js';
import { Visitor, type VisitorOptions } from './visitor.js';
import { createWorld, type World, type WorldOptions } from './world.js';

/** What the tests of one `describe` share. */
export interface Stage {
  readonly world: World;
  readonly browser: Browser;
  /** Somebody with a window of their own, whose clock starts at the service's; gone after the test. */
  visit(options: VisitorOptions): Promise<Visitor>;
}

/**
 * Sets up a world and a browser for the tests of a `describe`. After each test every visitor must have been spared
 * console errors and requests to other origins; a test that provokes some empties `errors`.
 */
export function setStage(options: WorldOptions = {}): Stage {
  let world: World;
  let browser: Browser;
  const visitors: Visitor[] = [];
  beforeAll(async () => {
    [world, browser] = await Promise.all([createWorld(options), launchChromium()]);
  });
  afterEach(async () => {
    const repeatedFailures = visitors.flatMap((visitor) => visitor.repeatedFailures);
    await Promise.all(visitors.splice(0).map((visitor) => visitor.close()));
    expect(repeatedFailures).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.remove();
  });
  return {
    get world() {
      return world;
    },
    get browser() {
      return browser;
    },
    visit: async (wanted) => {
      const visitor = await Visitor.open(browser, world.service, wanted);
      await visitor.page.clock.install({ time: world.service.clock.now() });
      visitors.push(visitor);
      return visitor;
    },
  };
}
