import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { JUST_DONE_MS } from '../../../src/core/store/instances/work-leases.js';
import { AdminClient } from '../../support/clients/admin-client.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import {
  page,
  redirect,
  startRemoteSite,
  type RemoteSite,
  type SitePage,
} from '../../support/origins/remote-site.js';
import { testEngines } from '../../support/store/databases.js';
import { startTwoInstances, until, type TwoInstances } from './two-instances.js';

const PAGE = '<title>Seen once</title>';

/** A page that answers when it is told to. */
function heldPage(answer: SitePage): { page: SitePage; release: () => void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  return { page: (...about) => void released.then(() => answer(...about)), release };
}

describe.runIf(testEngines().includes('postgresql'))('previews of two instances', () => {
  let both: TwoInstances;
  let site: RemoteSite;
  let token: string;
  let operator: AdminClient;

  beforeAll(async () => {
    both = await startTwoInstances({});
    site = await startRemoteSite();
    token = await createToken(both.first);
    operator = await AdminClient.signIn(both.first, 'operator');
  });
  afterAll(async () => {
    await both.remove();
    await site.close();
  });

  const hits = (path: string): number => site.hits.filter((hit) => hit.path === path).length;
  const ask = (instance: 'first' | 'second', path: string) => preview(both[instance], token, site.url(path));

  it('a new address that both are asked for is downloaded once', async () => {
    const held = heldPage(page(PAGE));
    site.pages.set('/once', held.page);
    const asked = [ask('first', '/once'), ask('second', '/once')];
    await until(() => hits('/once') > 0);
    held.release();

    const answers = await Promise.all(asked);

    expect(answers.map(({ body }) => body['og:title'])).toEqual(['Seen once', 'Seen once']);
    expect(hits('/once')).toBe(1);
  });

  it('an address that fails is asked once, and both answer with the same error', async () => {
    const held = heldPage(page('gone', { status: 404 }));
    site.pages.set('/fails', held.page);
    const asked = [ask('first', '/fails'), ask('second', '/fails')];
    await until(() => hits('/fails') > 0);
    held.release();

    const [one, other] = await Promise.all(asked);

    expect(one?.status).toBe(502);
    expect([other?.status, other?.text]).toEqual([one?.status, one?.text]);
    expect(hits('/fails')).toBe(1);
    // Later, too, as long as the failure is remembered.
    expect((await ask('second', '/fails')).text).toBe(one?.text);
    expect(hits('/fails')).toBe(1);
  });

  it('the start of another instance lets nothing be asked for again that the others have just come to', async () => {
    site.pages.set('/fails-still', page('gone', { status: 404 }));
    await ask('first', '/fails-still');
    const third = await both.first.beside({ jobs: { instance: 'third' } });
    try {
      await ask('second', '/fails-still');
    } finally {
      await third.stop();
    }
    expect(hits('/fails-still')).toBe(1);
  });

  it('a preview that is deleted on one is forgotten by the other', async () => {
    site.pages.set('/deleted', page(PAGE));
    await ask('first', '/deleted');
    await ask('second', '/deleted');
    const found = await operator.data<{ preview: { id: string } }>(
      'query ($url: String!) { preview(url: $url) { id } }',
      { url: site.url('/deleted') },
    );

    await operator.data(
      'mutation ($ids: [ID!]!) { deletePreviews(input: { ids: $ids, withMedia: true }) { userErrors { message } } }',
      { ids: [found.preview.id] },
    );

    await until(async () => (await ask('second', '/deleted')) && hits('/deleted') === 2);
    await ask('first', '/deleted');
    expect(hits('/deleted')).toBe(2);
  });

  it('failures that an operator has forgotten are tried again by both', async () => {
    site.pages.set('/tried-again', page('gone', { status: 404 }));
    await ask('first', '/tried-again');
    await ask('second', '/tried-again');
    site.pages.set('/tried-again', page(PAGE));

    await operator.data(
      'mutation { forgetMemoryPreviews(input: { failedOnly: true }) { userErrors { message } } }',
    );

    await until(async () => (await ask('second', '/tried-again')).status === 200);
    expect((await ask('first', '/tried-again')).status).toBe(200);
    expect(hits('/tried-again')).toBe(2);
  });

  it('what a rule of an operator refused is asked for again by both once the rule is gone', async () => {
    for (const path of ['/moved', '/moved-too']) site.pages.set(path, redirect(site.url('/ruled-out')));
    site.pages.set('/ruled-out', page(PAGE));
    const rule = await operator.data<{ addBlockRule: { rule: { id: string } } }>(
      'mutation ($pattern: String!) { addBlockRule(input: { pattern: $pattern }) { rule { id } } }',
      { pattern: '*/ruled-out' },
    );
    await until(async () => (await ask('second', `/moved?${Math.random()}`)).status === 403);
    expect((await ask('second', '/moved')).status).toBe(403);
    expect((await ask('first', '/moved')).status).toBe(403);
    // Told while it is news; what is told later might be from before a rule was changed.
    expect(hits('/moved')).toBe(1);
    await ask('second', '/moved-too');
    both.first.clock.advance(JUST_DONE_MS + 1);
    await ask('first', '/moved-too');
    expect(hits('/moved-too')).toBe(2);

    await operator.data(
      'mutation ($id: ID!) { removeBlockRule(input: { id: $id }) { userErrors { message } } }',
      rule.addBlockRule.rule,
    );

    expect((await ask('first', '/moved')).status).toBe(200);
    await until(async () => (await ask('second', '/moved')).status === 200);
  });
});
