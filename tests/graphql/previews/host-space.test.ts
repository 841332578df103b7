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

  it('says who asked only to those who may know', async () => {
    expect((await spaceOf('.site.test')).owners).toMatchObject([{ items: 2 }]);
    expect((await spaceOf('.site.test', kit.operator)).owners).toBeNull();
  });
});
