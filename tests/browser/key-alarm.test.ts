import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY, ROTATED, replaceKey } from './support/world.js';

describe.skipIf(findChromium() === null)('a replaced key', () => {
  const stage = setStage();

  it('stands on the overview, in the list and on the server, never beside "fresh", until it is acknowledged', async () => {
    await stage.world.askKeys(HEALTHY);
    await replaceKey(stage.world, HEALTHY);
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/');
    await page.getByRole('link', { name: 'Open the page for: Alarms' }).click();
    const alarm = page.getByRole('region', { name: 'Alarm' });
    await alarm.waitFor();
    // An alarm opens what happened; the records stand beside it.
    expect(await page.getByRole('tab', { name: 'Events' }).getAttribute('aria-selected')).toBe('true');
    await page.getByRole('tab', { name: /^Records/ }).click();
    await page.getByText('key replaced', { exact: true }).first().waitFor();
    expect(await page.getByText('key replaced', { exact: true }).count()).toBe(1);
    expect(await page.getByText('needs attention', { exact: true }).count()).toBe(1);
    expect(await page.getByText('fresh', { exact: true }).count()).toBe(0);

    await visitor.goto('/keys');
    await page.getByRole('button', { name: 'Needs attention' }).click();
    await page.getByText('needs attention', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: HEALTHY }).click();

    await alarm.getByRole('button', { name: 'Acknowledge…' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('They reinstalled');
    expect(await visitor.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await alarm.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: /^Records/ }).click();
    await page.getByText('fresh', { exact: true }).first().waitFor();
  });

  it('leaves no other key of the server fresh', async () => {
    await stage.world.askKeys(ROTATED);
    await replaceKey(stage.world, ROTATED);
    const visitor = await stage.visit({ role: 'viewer' });
    await visitor.goto(`/keys/${ROTATED}?tab=records`);
    await visitor.page.getByText('old key', { exact: true }).first().waitFor();
    expect(await visitor.page.getByText('fresh', { exact: true }).count()).toBe(0);
  });

  it('offers a viewer nothing to acknowledge', async () => {
    await stage.world.askKeys(HEALTHY);
    await replaceKey(stage.world, HEALTHY);
    const visitor = await stage.visit({ role: 'viewer' });
    await visitor.goto(`/keys/${HEALTHY}`);
    const alarm = visitor.page.getByRole('region', { name: 'Alarm' });
    await alarm.waitFor();
    expect(await alarm.getByRole('button').count()).toBe(0);
  });
});
