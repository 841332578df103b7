import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
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

describe.skipIf(findChromium() === null)('with the keyboard alone', () => {
  const stage = setStage();

  it('one signs in, diagnoses a server, copies its key, deletes a preview and signs out, the focus seen', async () => {
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
