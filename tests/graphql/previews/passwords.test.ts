import { beforeAll, describe, expect, it } from 'vitest';

import { tagged } from '../../rest/clients/preview/preview-kit.js';
import { startPreviewAdminKit } from './preview-admin-kit.js';
import { setUp } from '../../support/set-up.js';

const SECRET = 'hunter2';

describe('passwords in addresses', () => {
  const kit = setUp(() => startPreviewAdminKit({ url_preview_url_blacklist: [{ path: '/no' }] }));
  let url: string;
  let refused: string;
  beforeAll(async () => {
    const withUser = (path: string): string => kit.url(path).replace('//', `//ana:${SECRET}@`);
    kit.serve('/page', tagged({ 'og:title': 'Page', 'og:url': withUser('/page') }));
    [url, refused] = [withUser('/page'), withUser('/no')];
    await kit.preview(url);
    await kit.preview(withUser('/missing'));
    await kit.preview(refused);
    await kit.service.context.services.previews.hits.flush();
  });

  it('are shown to nobody: lists, refusals, values, traces and failures', async () => {
    const rows = `{
      previews(first: 5) { nodes { url properties { key value } raw } }
      blockHits(first: 5) { nodes { url } }
      overview { recentFailures { subject message href } } }`;
    for (const client of [kit.viewer, kit.operator, kit.admin]) {
      const text = JSON.stringify(await client.data(rows));
      expect(text).toContain('…@site.test');
      expect(text).not.toContain(SECRET);
    }
    for (const target of [url, refused]) {
      const input = { url: target, ignoreCaches: true };
      const TRY = `mutation ($ignoreCaches: Boolean! = false, $url: String!) { tryPreview(ignoreCaches: $ignoreCaches, url: $url) { trace {
        url finalUrl body steps { message detail } properties { value } } } }`;
      expect(JSON.stringify(await kit.operator.data(TRY, input))).not.toContain(SECRET);
    }
  });

  it('are found by no search, while what is shown of such an address is', async () => {
    const SEARCH = `query ($text: String!) {
      previews(first: 5, filter: { search: $text }) { nodes { url } }
      media(first: 5, filter: { search: $text }) { nodes { sourceUrl } }
      blockHits(first: 5, filter: { search: $text }) { nodes { url } } }`;
    type Found = Record<string, { nodes: unknown[] }>;
    for (const client of [kit.viewer, kit.operator, kit.admin]) {
      for (const text of [SECRET, 'ana:', SECRET.slice(0, 4)]) {
        const found = Object.values(await client.data<Found>(SEARCH, { text }));
        expect(found.map(({ nodes }) => nodes)).toEqual([[], [], []]);
      }
    }
    const found = Object.values(await kit.operator.data<Found>(SEARCH, { text: 'site.test' }));
    for (const { nodes } of found) expect(nodes.length).toBeGreaterThan(0);
  });
});
