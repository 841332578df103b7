import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { tagged } from '../../rest/clients/preview/preview-kit.js';
import { testEngines } from '../../support/store/databases.js';
import { startPreviewAdminKit, type PreviewAdminKit } from './preview-admin-kit.js';

const SPACE = `query S($host: String!) { hostSpace(host: $host) {
  items bytes thumbnailBytes exact hosts { name items bytes } owners { name items } } }`;

interface Space {
  items: number;
  bytes: number;
  exact: boolean;
  hosts: { name: string; items: number; bytes: number }[];
  owners: { name: string; items: number }[] | null;
}

const DISK = `{ overview { media { diskBytes } }
  mediaSpace { diskBytes byHost { bytes } byType { bytes } byDay { bytes } } }`;

type Shares = { bytes: number }[];
interface Disk {
  overview: { media: { diskBytes: number } };
  mediaSpace: { diskBytes: number; byHost: Shares; byType: Shares; byDay: Shares };
}

describe.each(testEngines())('space of a host on %s', (engine) => {
  let kit: PreviewAdminKit;
  beforeAll(async () => {
    const hosts = Object.fromEntries(
      ['site.test', 'www.site.test', 'other.test'].map((name) => [name, ['127.0.0.1']]),
    );
    kit = await startPreviewAdminKit(engine, { dns: { hosts } });
    for (const host of ['site.test', 'www.site.test', 'other.test']) {
      kit.serve('/a', tagged({ 'og:title': 'A' }));
      await kit.preview(kit.site.url('/a', host));
    }
  });
  afterAll(() => kit.remove());

  const spaceOf = async (host: string, who = kit.admin) =>
    (await who.data<{ hostSpace: Space }>(SPACE, { host })).hostSpace;

  it('is that of the host, of those below it, or both', async () => {
    const both = await spaceOf('.site.test');
    const [itself, below] = [await spaceOf('site.test'), await spaceOf('*.site.test')];

    expect([itself.items, below.items, both.items]).toEqual([1, 1, 2]);
    expect(both.bytes).toBe(itself.bytes + below.bytes);
    expect(both.hosts.map(({ name }) => name).toSorted()).toEqual(['site.test', 'www.site.test']);
    expect(both.exact).toBe(true);
    expect(await spaceOf('.nowhere.test')).toMatchObject({ items: 0, bytes: 0, hosts: [], exact: true });
  });

  it('is what all figures for the disk are made of: files and thumbnails, by host, type and day', async () => {
    const { context } = kit.service;
    const { media, mediaThumbnail } = context.parts.database.client;
    const rows = await media.findMany();
    await mediaThumbnail.create({
      data: {
        mediaId: rows[0]!.mediaId,
        width: 32,
        height: 32,
        method: 'crop',
        contentType: 'image/png',
        sizeBytes: 1000,
      },
    });
    const { finished } = await context.services.jobs.registry.runNow('measure_totals', 'ana');
    await finished;
    const { overview, mediaSpace } = await kit.viewer.data<Disk>(DISK);
    const [sites, other] = [await spaceOf('.site.test'), await spaceOf('other.test')];

    const bytes = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 1000);
    expect(overview.media).toEqual({ diskBytes: bytes });
    const { diskBytes, ...shares } = mediaSpace;
    expect([diskBytes, sites.bytes + other.bytes]).toEqual([bytes, bytes]);
    for (const share of Object.values(shares))
      expect(share.reduce((sum, each) => sum + each.bytes, 0)).toBe(bytes);
  });

  it('says who asked only to those who may know', async () => {
    expect((await spaceOf('.site.test')).owners).toMatchObject([{ items: 2 }]);
    expect((await spaceOf('.site.test', kit.operator)).owners).toBeNull();
  });
});
