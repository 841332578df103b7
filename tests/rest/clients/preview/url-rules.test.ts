import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import sharp from 'sharp';

import { onlyEnhanced } from '../../../support/extraction.js';
import { page, redirect, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { SITE_NAME, startPreviewKit, tagged, type PreviewKit } from './preview-kit.js';

const BLOCKED = 'URL blocked by url pattern blacklist entry';
const RULES = [
  { username: '*' },
  { netloc: '*.g.test:*' },
  { scheme: 'http', path: '/p*' },
  { port: '1[23]' },
  { hostname: '^pre\\.' },
  { path: '*/no/*' },
];

let kit: PreviewKit;
let canary: RemoteSite;

beforeAll(async () => {
  canary = await startRemoteSite({ address: '127.0.0.2' });
  kit = await startPreviewKit({
    settings: {
      url_preview_url_blacklist: RULES,
      url_preview_ip_range_whitelist: ['127.0.0.1'],
      dns: {
        hosts: {
          [SITE_NAME]: ['127.0.0.1'],
          'g.test': ['127.0.0.1'],
          'a.b.g.test': ['127.0.0.1'],
          'inside.test': ['127.0.0.2'],
        },
      },
    },
  });
  const image = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  kit.serve('/no/shot.png', page(image, { type: 'image/png' }));
  kit.serve('/shot.png', page(image, { type: 'image/png' }));
  kit.serve('/', tagged({ 'og:title': 'Home' }));
  kit.serve('/no/page', tagged({ 'og:title': 'Forbidden' }));
});
afterAll(async () => {
  await kit.remove();
  await canary.close();
});
beforeEach(() => kit.service.context.services.previews.hits.flush());

const at = (host: string, path = '/') => kit.site.url(path, host);

/** Refusals recorded by the request that `work` makes, oldest first, without time and id. */
async function hitsOf(work: () => Promise<unknown>) {
  const { hits } = kit.service.context.services.previews;
  const { blacklistHit } = kit.service.context.parts.database.client;
  const known = await blacklistHit.findFirst({ orderBy: { id: 'desc' } });
  await work();
  await hits.flush();
  const all = await blacklistHit.findMany({ where: { id: { gt: known?.id ?? 0 } }, orderBy: { id: 'asc' } });
  return all.map(({ url, stage, rule, address, userId }) => ({ url, stage, rule, address, userId }));
}

const byRule = (url: string, stage: string, rule: object) => ({
  url,
  stage,
  rule: JSON.stringify(rule),
  address: null,
  userId: '@alice:notary.test',
});
const byAddress = (url: string, stage: string, address = '127.0.0.2') => ({
  url,
  stage,
  rule: 'url_preview_ip_range_blacklist: 127.0.0.0/8',
  address,
  userId: '@alice:notary.test',
});

describe('a rule on the address asked for (SPEC §4.7.1)', () => {
  it.each<[string, () => string]>([
    ['user', () => at(`u@${SITE_NAME}`)],
    ['netloc', () => at('a.b.g.test')],
    ['path across slashes', () => at(SITE_NAME, '/p/x/y')],
    ['port', () => 'http://site.test:12/'],
    ['prefix', () => 'http://pre.anything.test/'],
    ['percent-encoded path', () => at(SITE_NAME, '/%70/x')],
    ['dots in the path', () => at(SITE_NAME, '/a/../p')],
    ['upper-case host', () => 'http://PRE.anything.test/'],
  ])('%s refuses with 403 and no request', async (_name, url) => {
    const before = kit.site.hits.length;
    const { status, body } = await kit.preview(url());
    expect(status).toBe(403);
    expect(body).toEqual({ errcode: 'M_UNKNOWN', error: BLOCKED });
    expect(kit.site.hits.length).toBe(before);
  });

  it.each<[string, () => string, number]>([
    ['no user', () => at(SITE_NAME), 200],
    ['only the domain itself', () => at('g.test'), 200],
    // Nothing listens there.
    ['an absent port', () => 'http://site.test/', 500],
  ])('allows %s', async (_name, url, status) => {
    expect((await kit.preview(url())).status).toBe(status);
  });

  it('is recorded with stage, rule and user', async () => {
    const url = at(SITE_NAME, '/p/recorded');
    expect(await hitsOf(() => kit.preview(url))).toEqual([byRule(url, 'target', RULES[2]!)]);
  });
});

describe('a rule on what the address leads to', () => {
  it('a redirect hop refuses with 403 before it is requested, and is recorded', async () => {
    const url = kit.serve('/to-no', redirect('/middle'));
    kit.serve('/middle', redirect('/no/page'));
    let status = 0;
    const hits = await hitsOf(async () => {
      ({ status } = await kit.preview(url));
    });
    expect(status).toBe(403);
    expect(kit.hits('/no/page')).toEqual([]);
    expect(hits).toEqual([byRule(kit.url('/no/page'), 'redirect', RULES[5]!)]);
  });

  it('an oEmbed address refuses the preview', async () => {
    const link = '<link rel="alternate" type="application/json+oembed" href="/no/oembed">';
    const url = kit.serve('/with-oembed', `<head>${link}<title>T</title></head>`);
    let status = 0;
    const hits = await hitsOf(async () => {
      ({ status } = await kit.preview(url));
    });
    expect(status).toBe(403);
    expect(kit.hits('/no/oembed')).toEqual([]);
    expect(hits).toEqual([byRule(kit.url('/no/oembed'), 'oembed', RULES[5]!)]);
  });

  it('an image, also behind a redirect, gives way to the next candidate', onlyEnhanced(), async () => {
    kit.serve('/hidden.png', redirect('/no/shot.png'));
    const body = '<img src="/shot.png" width="400" height="300">';
    for (const address of ['/no/shot.png', '/hidden.png']) {
      const path = `/card-${address.replaceAll('/', '-')}`;
      const url = kit.serve(path, tagged({ 'og:title': 'T', 'og:image': address }, body));
      let answer: object = {};
      const hits = await hitsOf(async () => {
        answer = (await kit.preview(url)).body;
      });
      expect(answer).toMatchObject({ 'og:title': 'T', 'og:image:width': 40 });
      expect(hits).toEqual([byRule(kit.url('/no/shot.png'), 'image', RULES[5]!)]);
    }
    expect(kit.hits('/no/shot.png')).toEqual([]);
  });
});

describe('a denied network address', () => {
  it('of the target is recorded as such', async () => {
    const url = canary.url('/x', 'inside.test');
    expect(await hitsOf(() => kit.preview(url))).toEqual([byAddress(url, 'target')]);
    const literal = canary.url('/x');
    expect(await hitsOf(() => kit.preview(literal))).toEqual([byAddress(literal, 'target')]);
  });

  it('of an image, behind a redirect too, is recorded with the hop and drops the image', async () => {
    const inside = canary.url('/shot.png', 'inside.test');
    kit.serve('/image-hop', redirect(inside));
    const url = kit.serve('/image-inside', tagged({ 'og:title': 'T', 'og:image': '/image-hop' }));
    let body: unknown;
    const hits = await hitsOf(async () => {
      ({ body } = await kit.preview(url));
    });
    expect(body).toMatchObject({ 'og:title': 'T' });
    expect(Object.keys(body as object)).not.toContain('og:image');
    expect(hits).toEqual([byAddress(inside, 'image')]);
  });
});
