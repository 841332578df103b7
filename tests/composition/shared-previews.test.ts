import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { AdminClient } from '../support/clients/admin-client.js';
import { createToken, preview } from '../support/clients/preview-client.js';
import { page, redirect, startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import { testEngines } from '../support/store/databases.js';
import { startTwoInstances, until } from './two-instances.js';
import { setUp } from '../support/set-up.js';

const PAGE = '<title>Shared</title>';

describe.runIf(testEngines().includes('postgresql'))('previews of two instances', () => {
  const both = setUp(() => startTwoInstances({}));
  let site: RemoteSite;
  let token: string;
  let operator: AdminClient;

  beforeAll(async () => {
    site = await startRemoteSite();
    token = await createToken(both.first);
    operator = await AdminClient.signIn(both.first, 'operator');
  });
  afterAll(() => site.close());

  const hits = (path: string): number => site.hits.filter((hit) => hit.path === path).length;
  const ask = (instance: 'first' | 'second', path: string) => preview(both[instance], token, site.url(path));

  it('a preview that is deleted on one is forgotten by the other', async () => {
    site.pages.set('/deleted', page(PAGE));
    await ask('first', '/deleted');
    await ask('second', '/deleted');
    const found = await operator.data<{ preview: { id: string } }>(
      'query ($url: String!) { preview(url: $url) { id } }',
      { url: site.url('/deleted') },
    );

    await operator.data(
      'mutation ($ids: [ID!]!) { deletePreviews(filter: { ids: $ids }, expectedCount: 1) { userErrors { message } } }',
      { ids: [found.preview.id] },
    );

    await until(async () => (await ask('second', '/deleted')) && hits('/deleted') === 2);
    await ask('first', '/deleted');
    expect(hits('/deleted')).toBe(2);
  });

  it('what a rule of an operator refused is asked for again by both once the rule is gone', async () => {
    site.pages.set('/moved', redirect(site.url('/ruled-out')));
    site.pages.set('/ruled-out', page(PAGE));
    const rule = await operator.data<{ addBlockRule: { rule: { id: string } } }>(
      'mutation ($pattern: String!) { addBlockRule(pattern: $pattern) { rule { id } } }',
      { pattern: '*/ruled-out' },
    );
    await until(async () => (await ask('second', `/moved?${Math.random()}`)).status === 403);
    expect((await ask('second', '/moved')).status).toBe(403);
    expect((await ask('first', '/moved')).status).toBe(403);

    await operator.data(
      'mutation ($id: ID!) { removeBlockRule(id: $id) { userErrors { message } } }',
      rule.addBlockRule.rule,
    );

    expect((await ask('first', '/moved')).status).toBe(200);
    await until(async () => (await ask('second', '/moved')).status === 200);
  });
});
