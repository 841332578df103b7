import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { eventually } from './support/eventually.js';
import { setStage } from './support/stage.js';
import { HEALTHY, ROTATED, WRONG_KEY } from './support/world.js';

describe.skipIf(findChromium() === null)('keys of other servers', () => {
  const stage = setStage();

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
    const published = page.getByRole('group', { name: 'published record' });
    expect(await published.textContent()).toContain(`"${HEALTHY}"`);

    await page.getByRole('tab', { name: 'Records 1' }).click();
    const signatures = page.getByRole('list', { name: 'Signatures' });
    await signatures.getByText(HEALTHY).waitFor();
    const [own] = await signatures.getByRole('listitem').filter({ hasText: HEALTHY }).all();
    expect(await own?.getByRole('img').getAttribute('aria-label')).toBe('valid');
    await page.getByText('allowed', { exact: true }).waitFor();
  });

  it('diagnoses a server with a wrong signature: the stage that fails says why and what to do', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto(`/keys/${WRONG_KEY}`);
    await page.getByRole('heading', { name: /^The keys cannot be fetched/ }).waitFor();

    const failed = page
      .getByRole('list', { name: 'Stages of the key fetch' })
      .getByRole('listitem')
      .filter({ hasText: 'failed' });
    expect(await failed.count()).toBe(1);
    expect(await failed.textContent()).toMatch(/signature/i);
  });

  it('says which rule a name that is none breaks, and asks nobody', async () => {
    const { origin } = stage.world;
    const before = origin.connections;
    const visitor = await stage.visit({ role: 'operator' });
    await visitor.goto('/keys');
    await visitor.page.getByRole('textbox', { name: 'Search' }).fill('nobody.example');
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('textbox', { name: 'Server name' }).fill('a b.example');
    await visitor.page.getByRole('button', { name: 'Look up' }).click();

    await visitor.page.getByText('A host has only letters, digits, dots and hyphens').waitFor();

    expect(origin.connections).toBe(before);
  });

  it('refuses to refresh a server off the whitelist, names the setting, and still shows its records', async () => {
    const { world } = stage;
    await world.askKeys(ROTATED);
    await world.restart({ federation_domain_whitelist: [HEALTHY] });
    const hits = world.origin.hits.length;
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto(`/keys/${ROTATED}`);
    await page.getByText('not allowed by the list').waitFor();
    await page.getByRole('button', { name: 'Refresh keys' }).click();
    const answered = page.waitForResponse('**/api/graphql');
    await page.getByRole('dialog').getByRole('button', { name: 'Refresh' }).click();

    expect(await (await answered).text()).toContain('"FEDERATION_NOT_ALLOWED"');
    await page.getByRole('alert').filter({ hasText: 'federation_domain_whitelist' }).waitFor();
    expect(world.origin.hits).toHaveLength(hits);
    expect(await page.getByRole('list', { name: 'Signatures' }).count()).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('federation_domain_whitelist').first().waitFor();
  });

  it('lists the fetches of one outcome however far back, from the newest, or says there are none', async () => {
    const { client } = stage.world.service.context.parts.database;
    await stage.world.askKeys(ROTATED);
    const row = { serverName: ROTATED, startedTs: 1n, durationMs: 1, cause: 'job', steps: [] };
    await client.keyFetch.create({ data: { ...row, outcome: 'failed', message: 'It was long ago.' } });
    await client.keyFetch.createMany({ data: Array.from({ length: 25 }, () => ({ ...row, outcome: 'ok' })) });
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto(`/keys/${ROTATED}?tab=fetches`);
    const fetches = page.getByRole('list', { name: 'Fetches' }).locator('> li');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('It was long ago.').waitFor();

    await page.getByRole('button', { name: 'failed', exact: true }).click();
    await page.waitForURL(
      (url) => url.searchParams.get('outcome') === 'FAILED' && !url.searchParams.has('after'),
    );
    await eventually(() => fetches.count()).toBe(1);
    await page.getByText('It was long ago.').waitFor();

    await client.keyFetch.deleteMany({ where: { outcome: 'failed', serverName: ROTATED } });
    await page.reload();
    await page.getByText('No fetch of this server failed').waitFor();
    expect(await fetches.count()).toBe(0);
  });
});
