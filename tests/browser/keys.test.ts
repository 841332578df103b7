import { describe, expect, it } from 'vitest';

import { DAY_MS } from '../../src/core/base/clock.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { OWN_NAME } from '../support/service.js';
import { HEALTHY, ROTATED, WRONG_KEY, WRONG_NAME, replaceKey } from './support/world.js';

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
    const { length: before } = stage.world.origin.hits;
    const visitor = await stage.visit({ role: 'operator' });
    await visitor.goto('/keys');
    await visitor.page.getByRole('textbox', { name: 'Search' }).fill('nobody.example');
    await visitor.page.keyboard.press('Enter');
    await visitor.page.getByRole('textbox', { name: 'Server name' }).fill('a b.example');
    await visitor.page.getByRole('button', { name: 'Look up' }).click();

    await visitor.page.getByText('A host has only letters, digits, dots and hyphens').waitFor();

    // The health checks ask for our own record at any time.
    expect(stage.world.origin.hits.slice(before).filter(({ host }) => !host.startsWith(OWN_NAME))).toEqual(
      [],
    );
  });

  it('groups failures by cause, opens the servers of one, and each server on its failure', async () => {
    const { world } = stage;
    await world.askKeys(WRONG_KEY);
    await world.askKeys(WRONG_NAME);
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/keys');
    const groups = page.getByRole('table', { name: 'Failures by cause' });
    await groups.getByText('1 failure in the last day').first().waitFor();
    await groups.getByRole('link', { name: '1 server: certificate for another name' }).click();
    await page.waitForURL((url) => url.searchParams.get('cause') === 'CERTIFICATE_WRONG_NAME');
    const rows = page
      .getByRole('table', { name: 'Servers with stored keys' })
      .getByRole('row')
      .filter({ has: page.getByRole('cell') });
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.textContent()).toContain('certificate for another name');

    await rows.getByRole('link', { name: WRONG_NAME }).click();
    await page.getByRole('list', { name: 'Fetches' }).getByText('failed').first().waitFor();
    expect(await page.getByRole('tab', { name: 'Fetches' }).getAttribute('aria-selected')).toBe('true');
    await visitor.goto(`/keys/${WRONG_NAME}?tab=events`);
    expect(await page.getByRole('tab', { name: 'Events' }).getAttribute('aria-selected')).toBe('true');
    await visitor.goto(`/keys/${HEALTHY}`);
    expect(await page.getByRole('tab', { name: 'Timeline' }).getAttribute('aria-selected')).toBe('true');
  });

  it('refuses to refresh a server off the whitelist, names the setting, and still shows its records', async () => {
    const { world } = stage;
    await world.askKeys(ROTATED);
    await world.restart({ federation_domain_whitelist: [HEALTHY] });
    const hits = world.origin.hits.length;
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto(`/keys/${ROTATED}?tab=records`);
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

  it('refreshes the ticked servers after a dialog that names them', async () => {
    const { world } = stage;
    await world.restart({});
    await world.askKeys(HEALTHY);
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto(`/keys?q=${HEALTHY}`);
    await page.getByRole('checkbox', { name: 'Tick all rows of this page' }).check();
    const { length: before } = world.origin.hits;
    await page.getByRole('button', { name: 'Refresh keys…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Refresh the keys of 1 server?' });
    await dialog.getByRole('listitem').first().waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([HEALTHY]);
    expect(await visitor.violations()).toEqual([]);
    expect(world.origin.hits).toHaveLength(before);
    await dialog.getByRole('button', { name: 'Refresh' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: `Refreshed ${HEALTHY}` })
      .waitFor();
    expect(world.origin.hits.length).toBeGreaterThan(before);
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
    await expect.poll(() => fetches.count()).toBe(1);
    await page.getByText('It was long ago.').waitFor();

    await client.keyFetch.deleteMany({ where: { outcome: 'failed', serverName: ROTATED } });
    await page.reload();
    await page.getByText('No fetch of this server failed').waitFor();
    expect(await fetches.count()).toBe(0);
  });

  it('shows how an answer begins that is no record', async () => {
    const { world } = stage;
    const { respond } = world.origin;
    world.origin.respond = (_request, response) => response.writeHead(404).end('<h1>Nothing here</h1>');
    const visitor = await stage.visit({ role: 'operator' });
    await visitor.goto(`/keys/${HEALTHY}?tab=diagnose`);
    await visitor.page.getByRole('heading', { name: /^The keys cannot be fetched/ }).waitFor();
    world.origin.respond = respond;
    const answer = visitor.page.getByRole('figure').filter({ hasText: '21 bytes in all' });
    expect(await answer.textContent()).toContain('<h1>Nothing here</h1>');
  });

  it('lists what happened to all keys, live, and acknowledges an alarm where it stands', async () => {
    const { world } = stage;
    await world.askKeys(HEALTHY);
    await world.askKeys(ROTATED);
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/keys?tab=events&server=.meadow.example');
    const rows = page
      .getByRole('table')
      .getByRole('row')
      .filter({ has: page.getByRole('cell') });
    await rows.getByText('server first seen').waitFor();
    expect(await rows.filter({ hasText: ROTATED }).count()).toBe(0);

    await replaceKey(world, HEALTHY);
    await page.clock.fastForward('02:00');
    await page.getByRole('button', { name: /newer/ }).click();
    const alarm = rows.filter({ hasText: 'key replaced' });
    await alarm.getByRole('button', { name: /^Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Acknowledge…' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('They reinstalled');
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await alarm.getByText('acknowledged').waitFor();
    await page.getByRole('button', { name: 'Unacknowledged' }).click();
    await page.getByText('No event matches').waitFor();
    expect(await visitor.violations()).toEqual([]);
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
