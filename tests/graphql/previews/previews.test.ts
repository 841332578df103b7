import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { sampleImage } from '../../core/preview/media/sample-images.js';
import { tagged } from '../../rest/clients/preview/preview-kit.js';
import { codesOf, type AdminClient } from '../../support/clients/admin-client.js';
import { page, redirect } from '../../support/origins/remote-site.js';
import { startPreviewAdminKit } from './preview-admin-kit.js';
import { setUp } from '../../support/set-up.js';

const LIST = `query L($first: Int, $after: String, $last: Int, $before: String, $filter: PreviewFilter, $sortBy: PreviewSortField, $direction: SortDirection) {
  previews(first: $first, after: $after, last: $last, before: $before, filter: $filter, sortBy: $sortBy, direction: $direction) {
    nodes { id url title responseCode state } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

interface List {
  previews: {
    nodes: { id: string; url: string; title: string }[];
    totalCount: number;
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
  };
}

describe('previews and media for operators', () => {
  const kit = setUp(startPreviewAdminKit);

  beforeAll(async () => {
    kit.serve('/p.png', page(await sampleImage(300, 200).png().toBuffer(), { type: 'image/png' }));
    for (let index = 1; index <= 12; index += 1) {
      const tags: Record<string, string> = { 'og:title': `Title ${index}` };
      if (index % 3 === 0) tags['og:image'] = '/p.png';
      kit.serve(`/page-${index}`, tagged(tags));
      await kit.preview(`/page-${index}?secret=s${index}`);
      kit.service.clock.advance(1000);
    }
    kit.serve('/data', page('{"a": 1}', { type: 'application/json' }));
    await kit.preview('/data');
  });
  beforeEach(() => kit.signInAnew());

  const list = async (variables: Record<string, unknown>, client = kit.operator) =>
    (await client.data<List>(LIST, variables)).previews;
  const titles = ({ nodes }: List['previews']) => nodes.map(({ title }) => title);

  it('pages through a host sorted by expiry, forth and back, while others come (check 15)', async () => {
    const filter = { host: 'site.test', hasImage: false, empty: false };
    const sort = { sortBy: 'EXPIRES_AT', direction: 'ASC' };
    const first = await list({ first: 3, filter, ...sort });
    const second = await list({ first: 3, after: first.pageInfo.endCursor, filter, ...sort });
    await kit.preview('/page-1?another');
    const third = await list({ first: 3, after: second.pageInfo.endCursor, filter, ...sort });
    const again = await list({ first: 3, after: second.pageInfo.endCursor, filter, ...sort });
    const back = await list({ last: 3, before: third.pageInfo.startCursor, filter, ...sort });

    expect([first, second, third].flatMap(titles)).toEqual(
      [1, 2, 4, 5, 7, 8, 10, 11, 1].map((number) => `Title ${number}`),
    );
    expect(again).toEqual(third);
    expect(titles(back)).toEqual(titles(second));
    expect(first.totalCount).toBe(8);
    expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  it('finds by each filter', async () => {
    const count = async (filter: Record<string, unknown>) => (await list({ filter })).totalCount;

    expect(await count({ search: 'TITLE 1' })).toBeGreaterThanOrEqual(4);
    expect(await count({ search: 'page-12' })).toBe(1);
    expect(await count({ search: '100%_' })).toBe(0);
    expect(await count({ host: 'SITE.test', search: 'page-12' })).toBe(1);
    expect(await count({ host: 'other.test' })).toBe(0);
    expect(await count({ hasImage: true })).toBe(4);
    expect(await count({ empty: true })).toBe(1);
    expect(await count({ responseCode: 200, search: 'page-5' })).toBe(1);
    expect(await count({ responseCode: 404 })).toBe(0);
    expect(await count({ state: 'EXPIRED' })).toBe(0);
    const startTs = kit.service.clock.now() - 12_000;
    const between = { createdAfter: new Date(startTs), createdBefore: new Date(startTs + 3000) };
    expect(titles(await list({ filter: between }))).toEqual(['Title 3', 'Title 2', 'Title 1']);
  });

  it.each([
    ['previews', 'query Q($text: String!) { previews(filter: { search: $text }) { totalCount } }'],
    ['media', 'query Q($text: String!) { media(filter: { search: $text }) { totalCount } }'],
    ['types', 'query Q($text: String!) { media(filter: { contentType: $text }) { totalCount } }'],
    ['servers', 'query Q($text: String!) { servers(filter: { search: $text }) { totalCount } }'],
    ['hits', 'query Q($text: String!) { blockHits(filter: { search: $text }) { totalCount } }'],
    ['audit', 'query Q($text: String!) { auditEvents(filter: { search: $text }) { totalCount } }'],
  ])('searches %s for at most 1,000 characters', async (_, query) => {
    const send = (length: number) => kit.operator.send(query, { text: 'x'.repeat(length) });

    expect(codesOf(await send(1000))).toEqual([]);
    expect(new Set(codesOf(await send(60_000)))).toEqual(new Set(['BAD_USER_INPUT']));
    expect(new Set(codesOf(await send(1001)))).toEqual(new Set(['BAD_USER_INPUT']));
  });

  it('hides query strings from viewers, in lists, answers and searches', async () => {
    const asViewer = await list({ filter: { search: 'page-12' } }, kit.viewer);

    expect(asViewer.nodes[0]?.url).toBe(`${kit.url('/page-12')}?…`);
    expect((await list({ filter: { search: 'secret=s12' } }, kit.viewer)).nodes).toEqual([]);
    expect((await list({ filter: { search: 'secret=s12' } })).nodes).toHaveLength(1);
  });

  it('hides query strings of failures from viewers', async () => {
    await kit.preview('/gone?secret=gone');
    const query = '{ overview { recentFailures { title subject href } } }';
    const latest = async (client: AdminClient) => {
      const { overview } = await client.data<{ overview: { recentFailures: object[] } }>(query);
      return overview.recentFailures;
    };

    expect(JSON.stringify(await latest(kit.operator))).toContain('secret=gone');
    kit.site.pages.set('/inside', redirect('http://10.1.2.3/'));
    expect((await kit.preview('/inside')).status).toBe(403);
    expect(JSON.stringify(await latest(kit.operator))).not.toContain('/inside');
    expect(JSON.stringify(await latest(kit.viewer))).not.toContain('secret');
    expect(await latest(kit.viewer)).toContainEqual({
      title: 'Preview',
      subject: `${kit.url('/gone')}?…`,
      href: '/previews',
    });
  });

  it('shows a preview with its values, and its media', async () => {
    const url = `${kit.url('/page-3')}?secret=s3`;
    const query = `query P($url: String!) { preview(url: $url) { title raw properties { key origin }
      media { contentType owner previews { title } }
      image { mediaId contentUri contentType owner viewPath fileState deletesAt sourceUrl
        thumbnails { width viewPath } previews { title } } } }`;

    const { preview } = await kit.admin.data<{ preview: Record<string, unknown> }>(query, { url });
    const client = await kit.preview(url);

    expect(JSON.stringify(preview['raw'])).toBe(client.text);
    expect(preview).toMatchObject({
      title: 'Title 3',
      media: { contentType: 'text/html', owner: '@alice:notary.test' },
      image: {
        contentUri: client.body['og:image'],
        contentType: 'image/png',
        fileState: 'PRESENT',
        sourceUrl: kit.url('/p.png'),
        previews: [{ title: 'Title 3' }],
      },
    });
    const asOperator = await kit.operator.data<{ preview: { image: { owner: null } } }>(query, { url });
    expect(asOperator.preview.image.owner).toBeNull();
    expect(await kit.admin.data<{ preview: null }>(query, { url: kit.url('/never') })).toEqual({
      preview: null,
    });
  });

  it('clears failures from memory, so that the site is asked again', async () => {
    await kit.preview('/missing');
    const before = kit.hits('/missing').length;
    await kit.preview('/missing');
    expect(kit.hits('/missing')).toHaveLength(before);

    const { forgetMemoryPreviews } = await kit.operator.data<{ forgetMemoryPreviews: { matched: number } }>(
      'mutation { forgetMemoryPreviews(failedOnly: true) { matched } }',
    );
    await kit.preview('/missing');

    expect(forgetMemoryPreviews.matched).toBeGreaterThan(0);
    expect(kit.hits('/missing')).toHaveLength(before + 1);
  });

  it('makes previews anew as a job; one that fails keeps its old answer', async () => {
    const good = `${kit.url('/page-4')}?secret=s4`;
    const bad = `${kit.url('/page-5')}?secret=s5`;
    const { nodes } = await list({ filter: { search: 'secret=s' }, first: 100 });
    const ids = nodes.filter(({ url }) => url === good || url === bad).map(({ id }) => id);
    kit.serve('/page-4', tagged({ 'og:title': 'Newer' }));
    kit.site.pages.delete('/page-5');

    const { refreshPreviews } = await kit.operator.data<{ refreshPreviews: { run: { id: string } } }>(
      'mutation R($ids: [ID!]!) { refreshPreviews(ids: $ids) { userErrors { code } run { id } } }',
      { ids },
    );
    const { jobRun } = await kit.operator.data<Record<string, unknown>>(
      'query J($id: ID!) { jobRun(id: $id) { job { name } cause } }',
      { id: refreshPreviews.run.id },
    );
    await expect
      .poll(() => kit.service.context.services.jobs.runner.isRunning('refresh_previews'))
      .toBe(false);

    expect(jobRun).toMatchObject({ job: { name: 'refresh_previews' } });
    expect((await kit.preview(good)).body['og:title']).toBe('Newer');
    expect((await kit.preview(good, 1)).body['og:title']).toBe('Newer');
    expect((await kit.preview(bad)).body['og:title']).toBe('Title 5');
  });
});
