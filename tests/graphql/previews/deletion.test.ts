import { describe, expect, it } from 'vitest';

import { sampleImage } from '../../core/preview/media/sample-images.js';
import { createToken, preview } from '../../support/clients/preview-client.js';
import { tagged } from '../../rest/clients/preview/preview-kit.js';
import { page } from '../../support/origins/remote-site.js';
import { storePages } from '../../support/stored-pages.js';
import { startPreviewAdminKit } from './preview-admin-kit.js';
import { setUpEach } from '../../support/set-up.js';

interface Deleted {
  userErrors: { code: string; message: string; field: string[] | null }[];
  matched: number;
  deleted: number;
  freedBytes: number | null;
  run: { id: string; progress: number | null } | null;
}

const DELETE_PREVIEWS = `mutation D($dryRun: Boolean! = false, $expectedCount: Int, $filter: PreviewFilter!, $withMedia: Boolean! = true) { deletePreviews(dryRun: $dryRun, expectedCount: $expectedCount, filter: $filter, withMedia: $withMedia) {
  userErrors { code message field } matched deleted freedBytes run { id progress } } }`;
const DELETE_MEDIA = `mutation D($dryRun: Boolean! = false, $expectedCount: Int, $filter: MediaFilter!) { deleteMedia(dryRun: $dryRun, expectedCount: $expectedCount, filter: $filter) {
  userErrors { code message field } matched deleted freedBytes run { id } } }`;

describe('deleting', () => {
  const kit = setUpEach(startPreviewAdminKit);

  const deletePreviews = async (input: Record<string, unknown>) =>
    (await kit.operator.data<{ deletePreviews: Deleted }>(DELETE_PREVIEWS, input)).deletePreviews;
  const deleteMedia = async (input: Record<string, unknown>) =>
    (await kit.admin.data<{ deleteMedia: Deleted }>(DELETE_MEDIA, input)).deleteMedia;
  const client = () => kit.service.context.parts.database.client;
  const chosen = async () => {
    const ids = await idsOf();
    return { filter: { ids }, expectedCount: ids.length };
  };
  const idsOf = async () =>
    (
      await kit.admin.data<{ previews: { nodes: { id: string }[] } }>(
        '{ previews(first: 100) { nodes { id } } }',
      )
    ).previews.nodes.map(({ id }) => id);

  it('removes previews with page, image, files, folders and what memory holds of them', async () => {
    kit.serve('/p.png', page(await sampleImage(300, 200).png().toBuffer(), { type: 'image/png' }));
    const url = kit.serve('/a', tagged({ 'og:title': 'T', 'og:image': '/p.png' }));
    await kit.preview(url);
    await kit.service.context.services.previews.media.making.settle();
    expect(kit.files().length).toBeGreaterThan(4);

    const report = await deletePreviews(await chosen());

    expect(report).toMatchObject({ matched: 1, userErrors: [], run: null });
    expect(report.deleted).toBe(1);
    expect(report.freedBytes).toBeGreaterThan(0);
    expect([await client().previewCache.count(), await client().media.count()]).toEqual([0, 0]);
    expect(kit.files()).toEqual(['url_cache', 'url_cache_thumbnails']);
    await kit.preview(url);
    expect(kit.hits('/a')).toHaveLength(2);
  });

  it('leaves the media alone when asked to', async () => {
    await kit.preview(kit.serve('/a', tagged({ 'og:title': 'T' })));

    await deletePreviews({ ...(await chosen()), withMedia: false });

    expect([await client().previewCache.count(), await client().media.count()]).toEqual([0, 1]);
  });

  it('by filter needs the count of a dry run, and with another count deletes nothing', async () => {
    for (const path of ['/a', '/b', '/c']) await kit.preview(kit.serve(path, tagged({ 'og:title': path })));
    const filter = { host: 'site.test' };

    expect(await deletePreviews({ filter, dryRun: true })).toMatchObject({ matched: 3, deleted: 0 });
    expect((await deletePreviews({ filter })).userErrors).toMatchObject([{ code: 'INVALID' }]);
    expect(await deletePreviews({ filter, expectedCount: 2 })).toMatchObject({
      userErrors: [{ code: 'COUNT_MISMATCH', field: ['expectedCount'] }],
      matched: 3,
      deleted: 0,
    });
    expect(await client().previewCache.count()).toBe(3);
    expect(await deletePreviews({ filter, expectedCount: 3 })).toMatchObject({ matched: 3, userErrors: [] });
    expect(await client().previewCache.count()).toBe(0);
    expect((await deletePreviews({ filter, expectedCount: 3 })).userErrors).toMatchObject([
      { code: 'COUNT_MISMATCH' },
    ]);
    const many = { filter: { ids: Array.from({ length: 501 }, () => 'x') } };
    expect((await deletePreviews(many)).userErrors).toMatchObject([{ code: 'TOO_MANY' }]);
  });

  it('media is deleted by admins, and previews that use it are made anew', async () => {
    kit.serve('/p.png', page(await sampleImage(300, 200).png().toBuffer(), { type: 'image/png' }));
    const url = kit.serve('/a', tagged({ 'og:title': 'T', 'og:image': '/p.png' }));
    const before = await kit.preview(url);

    const refused = await kit.operator.send(DELETE_MEDIA, { filter: {}, dryRun: true });
    const report = await deleteMedia({ filter: { contentType: 'image/' }, expectedCount: 1 });
    const after = await kit.preview(url);

    expect(refused.errors[0]?.extensions.code).toBe('FORBIDDEN');
    expect(report).toMatchObject({ matched: 1, userErrors: [] });
    expect(after.body['og:image']).not.toBe(before.body['og:image']);
    expect(after.body['og:title']).toBe('T');
  });

  it('by user leaves nothing that others do not need, and is refused to roles that see no users', async () => {
    await kit.preview(kit.serve('/mine', tagged({ 'og:title': 'T' })));
    const bob = await createToken(kit.service, '@bob:notary.test');
    await preview(kit.service, bob, kit.serve('/his', tagged({ 'og:title': 'T' })));
    const filter = { owner: '@bob:notary.test' };
    const OF_USER =
      'query P($filter: PreviewFilter) { previews(filter: $filter) { nodes { url } totalCount } }';

    const listed = await kit.admin.data(OF_USER, { filter });
    const refused = await kit.operator.send(OF_USER, { filter });
    const counted = await deletePreviews({ filter: { host: 'site.test' }, dryRun: true });
    const ofNobody = await Promise.all(
      [{ owner: '' }, { contentType: '%' }].map((none) => deleteMedia({ filter: none, dryRun: true })),
    );
    const deleted = await deleteMedia({ filter, expectedCount: 1 });

    expect(listed).toEqual({ previews: { nodes: [{ url: kit.url('/his') }], totalCount: 1 } });
    expect(refused.errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect([counted, ...ofNobody].map(({ matched }) => matched)).toEqual([2, 0, 0]);
    expect(deleted).toMatchObject({ deleted: 1, userErrors: [] });
    const [left, ...others] = await client().previewCache.findMany();
    expect([left?.url, others.length, await client().media.count()]).toEqual([kit.url('/mine'), 0, 1]);
  });

  it('of 2,000 previews runs as a job with progress; files and empty folders are gone (check 17)', async () => {
    await storePages(kit.service, 2000);
    expect(kit.files()).toHaveLength(2001 + 1);
    const matched = (await deletePreviews({ filter: {}, dryRun: true })).matched;

    const report = await deletePreviews({ filter: {}, expectedCount: matched });
    const { runner } = kit.service.context.services.jobs;
    await expect.poll(() => runner.isRunning('delete_previews'), { interval: 200 }).toBe(false);

    expect(report).toMatchObject({ matched: 2000, deleted: 0, userErrors: [] });
    const { jobRun } = await kit.viewer.data<{ jobRun: { counts: { name: string; value: number }[] } }>(
      'query J($id: ID!) { jobRun(id: $id) { outcome progress counts { name value } } }',
      { id: report.run!.id },
    );
    expect(jobRun).toMatchObject({ outcome: 'OK', progress: 1 });
    expect(new Map(jobRun.counts.map(({ name, value }) => [name, value]))).toEqual(
      new Map([
        ['bytes', 8000],
        ['files', 2000],
        ['media', 2000],
        ['previews', 2000],
      ]),
    );
    expect([await client().previewCache.count(), await client().media.count()]).toEqual([0, 0]);
    expect(kit.files()).toEqual(['url_cache']);
  });
});
