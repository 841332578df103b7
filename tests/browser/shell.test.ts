import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { LOOKS } from './support/visitor.js';
import { HEALTHY } from './support/world.js';

const MAX_STOPS = 80;

/** What has the focus, when nothing on it shows that it does; else the empty text. */
const UNSEEN = `(() => {
  const element = document.activeElement;
  // The page itself, or an open menu before one of its items is chosen.
  if (element === document.body || element.id === 'main' || element.role === 'presentation') return '';
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
  const isSeen = (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
  return isSeen ? '' : element.outerHTML.slice(0, 200);
})()`;

/** Somebody without a mouse: notes every stop at which the focus could not be seen. */
class KeyboardUser {
  readonly unseen: string[] = [];

  constructor(private readonly page: Page) {}

  /** Presses Tab (or another key) until the element has the focus. */
  async to(wanted: Locator, key = 'Tab'): Promise<void> {
    for (let stop = 0; stop < MAX_STOPS; stop += 1) {
      await this.page.keyboard.press(key);
      await this.look();
      if (await this.isAt(wanted)) return;
    }
    throw new Error(`no way by ${key} to ${String(wanted)}`);
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
  }

  async isAt(wanted: Locator): Promise<boolean> {
    return (await this.page.locator(':focus').and(wanted).count()) === 1;
  }

  private async look(): Promise<void> {
    const unseen = await this.page.evaluate<string>(UNSEEN);
    if (unseen !== '') this.unseen.push(unseen);
  }
}

describe.skipIf(findChromium() === null)('around the pages', () => {
  const stage = setStage();

  it('shows each first step with a line to paste on the first screen, fits and is accessible in every look', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await page.setViewportSize({ width: 1280, height: 800 });
    await visitor.goto('/');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('button', { name: 'Copy command: Make a preview' }).waitFor();
    expect(await steps.getByLabel(/^command: /).allTextContents()).toEqual([
      expect.stringMatching(/ preview https:\/\/example\.org\//),
      expect.stringMatching(/ config proxy nginx/),
      expect.stringMatching(/ token create --user @me:/),
      expect.stringMatching(/ config show.* \| grep signing_key_path/),
    ]);
    const box = await steps.boundingBox();
    expect((box?.y ?? 9999) + (box?.height ?? 0)).toBeLessThanOrEqual(800);

    await steps.getByRole('checkbox', { name: 'Done: Back up the signing key' }).check();
    await steps.getByText('1 of 4 done').waitFor();

    for (const { theme, size } of LOOKS) {
      await visitor.wear(theme);
      await visitor.resize(size);
      expect(await visitor.violations(theme === 'light' ? 'all' : 'colors')).toEqual([]);
      expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    }
  });

  it('has its navigation in a drawer on a phone, which closes when a page is chosen', async () => {
    const visitor = await stage.visit({ role: 'admin', size: 'phone' });
    const { page } = visitor;
    await visitor.goto('/');
    await page.getByRole('button', { name: 'Open navigation' }).click();
    const menu = page.getByRole('navigation', { name: 'Pages' });
    await menu.getByRole('link', { name: 'Blocking' }).click();

    await page.getByRole('heading', { level: 1, name: 'Blocking' }).waitFor();
    await menu.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/admin/blocking');
    expect(await visitor.overflow()).toBeLessThanOrEqual(0);
  });

  it('has a key for the search and one for help, but not while somebody types', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/keys');
    const search = page.getByRole('textbox', { name: 'Search' });
    await page.keyboard.press('/');
    await page.locator(':focus').and(search).waitFor();
    await page.keyboard.type('gp?');
    expect(await search.inputValue()).toBe('gp?');
    expect(await page.getByRole('dialog').count()).toBe(0);

    await page.getByRole('main').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('says the outcome of an action for the eye and for the ear', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/jobs');

    await page
      .getByRole('row', { name: /^Compare media with files/ })
      .getByRole('button', { name: 'Run now' })
      .click();

    const words = 'Compare media with files has started';
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
    expect(await page.getByRole('status').filter({ hasText: words }).getAttribute('aria-live')).toBe(
      'polite',
    );
  });

  it('shows what could not be read with the request id of the log, and heals by Retry', async () => {
    const { service } = stage.world;
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    const { client } = service.context.parts.database;
    await client.$executeRawUnsafe('ALTER TABLE blacklist_hit RENAME TO away');
    try {
      await visitor.goto('/blocking?tab=hits');
      const panel = page.getByRole('alert').filter({ hasText: 'This could not be loaded' });
      await panel.getByRole('button', { name: 'Copy request id' }).click();
      const requestId = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(await panel.textContent()).toContain(requestId);
      expect(await panel.textContent()).not.toMatch(/blacklist_hit|SQL|prisma/i);
      expect(service.logs.filter((line) => JSON.stringify(line).includes(requestId))).not.toEqual([]);
    } finally {
      await client.$executeRawUnsafe('ALTER TABLE away RENAME TO blacklist_hit');
    }

    await page.getByRole('button', { name: 'Retry' }).click();

    await page.getByText('Nothing was refused').waitFor();
    visitor.repeatedFailures.length = 0;
  });

  it('lets somebody without a mouse sign in, diagnose a server, copy its key, delete a preview and sign out, the focus seen', async () => {
    const { world } = stage;
    await world.askKeys(HEALTHY);
    await world.ask(world.at('/notes'));
    const visitor = await stage.visit({ role: null });
    const { page } = visitor;
    const processor = new KeyboardUser(page);
    const heading = (name: string | RegExp) => page.getByRole('heading', { name }).waitFor();
    await visitor.goto('/');
    const { code } = await world.service.context.access.codes.create('admin');
    await page.keyboard.type(code);
    await processor.press('Enter');
    await heading('Overview');

    await processor.to(page.getByRole('link', { name: 'Skip to content' }));
    await processor.to(page.getByRole('link', { name: 'Keys', exact: true }));
    await processor.press('Enter');
    await heading('Keys');
    await processor.press('/');
    await page.keyboard.type('meadow');
    await processor.press('Enter');
    await processor.to(page.getByRole('link', { name: HEALTHY }));
    await processor.press('Enter');
    await heading(HEALTHY);

    await processor.to(page.getByRole('button', { name: 'Diagnose', exact: true }));
    await processor.press('Enter');
    await heading(/^The keys can be fetched/);
    await processor.to(page.getByRole('tab', { name: 'Diagnose' }));
    await processor.to(page.getByRole('tab', { name: /^Records/ }), 'ArrowLeft');
    await processor.to(page.getByRole('button', { name: 'Copy key', exact: true }));
    await processor.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Copied key' }).waitFor({ state: 'attached' });
    const record = (await (await world.askKeys(HEALTHY)).json()) as object;
    expect(JSON.stringify(record)).toContain(
      `"${await page.evaluate<string>('navigator.clipboard.readText()')}"`,
    );

    await processor.press('g');
    await processor.press('p');
    await heading('Previews');
    const actions = page.getByRole('row').getByRole('button', { name: 'Actions' });
    await actions.waitFor();
    await processor.to(actions);
    const openDialog = async () => {
      await processor.press('Enter');
      await processor.to(page.getByRole('menuitem', { name: 'Delete…' }), 'ArrowDown');
      await processor.press('Enter');
      await page.getByRole('dialog', { name: 'Delete 1 preview?' }).waitFor();
    };
    await openDialog();
    await processor.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => processor.isAt(actions)).toBe(true);
    await openDialog();
    await processor.to(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await processor.press('Enter');
    await page.getByText('Nothing cached').waitFor();

    await processor.to(page.getByRole('button', { name: 'operator' }), 'Shift+Tab');
    await processor.press('Enter');
    await processor.to(page.getByRole('menuitem', { name: 'Sign out' }), 'ArrowDown');
    await processor.press('Enter');
    await page.getByLabel('One-time code').waitFor();
    expect(processor.unseen).toEqual([]);
  });
});
