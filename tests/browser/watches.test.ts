import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeTestKey } from '../support/origins/key-record-maker.js';
import { startWebhookReceiver, type WebhookReceiver } from '../support/origins/webhook-receiver.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { HEALTHY, ROTATED } from './support/world.js';

const settings: Record<string, unknown> = {};

describe.skipIf(findChromium() === null)('watches and pins', () => {
  let ops: WebhookReceiver;
  beforeAll(async () => {
    ops = await startWebhookReceiver();
    settings['alerts'] = {
      webhooks: [{ name: 'ops', url: ops.url, secret: 'sixteen characters', allow_private: true, tells: [] }],
    };
    settings['pins'] = [{ server_name: 'file.example', keys: { 'ed25519:a': 'A'.repeat(43) } }];
  });
  const stage = setStage({ settings });
  afterAll(() => ops.close());

  it('a webhook is tested, and the test stands among the deliveries', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/watches');
    await page.getByRole('button', { name: 'Send a test to ops' }).click();
    await page.getByText('It arrived. Answered 204.').first().waitFor();
    expect(ops.received.at(-1)?.json['type']).toBe('test');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await page.getByRole('table', { name: 'Deliveries' }).getByText('delivered').first().waitFor();
    expect(await visitor.violations()).toEqual([]);
  });

  it('a server is watched from its page, and no longer', async () => {
    await stage.world.askKeys(HEALTHY);
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto(`/keys/${HEALTHY}`);
    await page.getByRole('button', { name: 'Watch…' }).click();
    await page.getByRole('button', { name: 'Watch', exact: true }).click();
    await page.getByText('webhook ops', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /Pin/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Stop watching…' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('nobody', { exact: true }).waitFor();
  });

  it('an admin pins what a server lists; what contradicts it is an alarm on the page', async () => {
    await stage.world.askKeys(ROTATED);
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto(`/keys/${ROTATED}`);
    await page.getByRole('button', { name: 'Pin its keys…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('ed25519:auto', { exact: false }).waitFor();
    expect(await visitor.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText('as pinned', { exact: true }).waitFor();

    const { oversight } = stage.world.service.context.services.oversight;
    const other = makeTestKey('other');
    const wrong = { server_name: ROTATED, keys: { [other.keyId]: other.publicKey } };
    expect(await oversight.set('pin', wrong, 'ben')).toBeNull();
    await stage.world.service.context.services.keys.refresher.refreshNow(ROTATED);
    await visitor.goto(`/keys/${ROTATED}`);
    await page.getByText('contradicted', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'The keys of this server need a look' }).waitFor();
    expect(await visitor.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Remove pin…' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Pin its keys…' }).waitFor();
  });

  it('an admin adds a notary; what is wrong with it is said beside the form', async () => {
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/watches');
    await page.getByRole('button', { name: 'Add a notary…' }).click();
    await page.getByLabel('Server name of the notary').fill('notary.example');
    await page.getByLabel('Address').fill('https://notary.example/');
    await page.getByLabel('Its keys').fill('ed25519:a short');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/^keys/).waitFor();
    expect(await visitor.violations()).toEqual([]);
    await page.getByLabel('Its keys').fill(`ed25519:a ${'A'.repeat(43)}`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page
      .getByRole('table', { name: 'Other notaries' })
      .getByText('notary.example', { exact: true })
      .waitFor();
  });

  it('a viewer sees what there is, and no button', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    const { page } = visitor;
    await visitor.goto('/watches');
    await page.getByText('file.example', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /test|Add/ }).count()).toBe(0);
    expect(await page.getByRole('tab', { name: 'Deliveries' }).count()).toBe(0);
  });
});
