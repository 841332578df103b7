import { describe, expect, it } from 'vitest';

import { DAY_MS } from '../../src/core/base/clock.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY, ROTATED, replaceKey } from './support/world.js';

describe.skipIf(findChromium() === null)('keys of other servers', () => {
  const stage = setStage({});

  it('diagnoses a healthy server: every stage fine, the record shown, its signature valid, allowed', async () => {
    await stage.world.askKeys(HEALTHY);
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto(`/keys/${HEALTHY}?tab=diagnose`);
    await page.getByRole('heading', { name: /^The keys can be fetched/ }).waitFor();

    const stages = page.getByRole('list', { name: 'Stages of the key fetch' }).getByRole('listitem');
    const words = await stages.allTextContents();
    expect(words.length).toBeGreaterThanOrEqual(8);
    for (const text of words) {
      expect(text).not.toMatch(/failed|warning/);
      expect(text).toMatch(/\d ms$|—$/);
    }
    const published = page.getByLabel('published record', { exact: true });
    expect(await published.textContent()).toContain(`"${HEALTHY}"`);

    await page.getByRole('tab', { name: 'Records 1' }).click();
    const signatures = page.getByRole('list', { name: 'Signatures' });
    await signatures.getByText(HEALTHY).waitFor();
    const [own] = await signatures.getByRole('listitem').filter({ hasText: HEALTHY }).all();
    expect(await own?.getByRole('img').getAttribute('aria-label')).toBe('valid');
    await page.getByText('allowed', { exact: true }).waitFor();
  });

  it('refuses to refresh a server off the whitelist, names the setting, and still shows its records', async () => {
    const { world } = stage;
    await world.askKeys(ROTATED);
    await world.restart({ federation_domain_whitelist: [HEALTHY] });
    const hits = world.origin.hits.length;
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto(`/keys/${ROTATED}?tab=records`);
    await page.getByText('not in the whitelist').waitFor();
    const answered = page.waitForResponse('**/api/graphql');
    await page.getByRole('button', { name: 'Refresh keys' }).click();

    expect(await (await answered).text()).toContain('"FEDERATION_NOT_ALLOWED"');
    await page.getByRole('alert').filter({ hasText: 'federation_domain_whitelist' }).waitFor();
    expect(world.origin.hits).toHaveLength(hits);
    expect(await page.getByRole('list', { name: 'Signatures' }).count()).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('federation_domain_whitelist').first().waitFor();
  });

  it('have an alarm on the overview, in the list and on the server, never beside "fresh", until it is acknowledged', async () => {
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

  it('leads through the replacement of our signing key, and names both keys to peers', async () => {
    const viewer = await stage.visit({ role: 'viewer' });
    await viewer.goto('/our-keys');
    await viewer.page.getByRole('list', { name: 'Steps of the rotation' }).waitFor();
    expect(await viewer.page.getByRole('button', { name: /key…$/ }).count()).toBe(0);
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/our-keys');
    await page.getByRole('button', { name: 'Create the new key…' }).click();
    await page.getByRole('dialog', { name: 'Create a new signing key?' }).waitFor();
    expect(await visitor.violations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();

    const next = page.getByRole('list', { name: 'Steps of the rotation' }).getByRole('listitem');
    await next.filter({ hasText: 'next' }).getByText('Restart the server').waitFor();
    const lines = page.getByLabel('lines for Synapse', { exact: true });
    expect((await lines.textContent())?.match(/"ed25519:/g)).toHaveLength(2);
    expect(await visitor.violations()).toEqual([]);

    await stage.world.restart({});
    const again = await stage.visit({ role: 'admin' });
    await again.goto('/our-keys');
    await again.page.getByText(/peers may hold a record without ed25519:/).waitFor();
    const retire = again.page.getByRole('button', { name: 'Retire the old key…' });
    expect(await retire.count()).toBe(0);
    stage.world.service.clock.advance(2 * DAY_MS);
    await again.signIn(stage.world.service, 'admin');
    await again.goto('/our-keys');
    await retire.click();
    await again.page.getByRole('dialog', { name: /^Retire the signing key ed25519:/ }).waitFor();
    expect(await again.violations()).toEqual([]);
  });
});
