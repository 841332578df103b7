import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../core/preview/media/sample-images.js';
import { mediaPath } from '../../support/clients/preview-client.js';
import { page } from '../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from '../clients/preview/preview-kit.js';
import { adminListeners, signInAs } from './admin-kit.js';
import { setUp } from '../../support/set-up.js';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

const kit = setUp(() => startPreviewKit({ settings: adminListeners() }));
let cookie: string;
let operator: string;
/** Media ids. */
const ids = { image: '', svg: '', html: '' };

beforeAll(async () => {
  kit.serve('/view.jpg', page(await sampleImage(640, 400).jpeg().toBuffer(), { type: 'image/jpeg' }));
  kit.serve('/x.svg', page(SVG, { type: 'image/svg+xml' }));
  const url = kit.serve(
    '/page',
    tagged({ 'og:title': 'T', 'og:image': '/view.jpg' }, '<script>alert(1)</script>'),
  );
  const idOf = (uri: unknown) => mediaPath(uri).split('/')[1] ?? '';
  ids.image = idOf((await kit.preview(url)).body['og:image']);
  ids.svg = idOf((await kit.preview('/x.svg')).body['og:image']);
  const { client } = kit.service.context.parts.database;
  ids.html = (await client.previewCache.findFirstOrThrow({ where: { url } })).mediaId;
  cookie = await signInAs(kit.service, 'viewer');
  operator = await signInAs(kit.service, 'operator');
});

const load = (path: string, headers: Record<string, string> = { cookie }) =>
  fetch(`${kit.service.url}/admin/api/media/${path}`, { headers });

describe('stored media for operators', () => {
  it('shows an image in place, to the signed-in alone', async () => {
    const answer = await load(ids.image);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/jpeg');
    expect(answer.headers.get('content-disposition')).toMatch(/^inline/);
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('cache-control')).toMatch(/^private, /);
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect((await load(ids.image, {})).status).toBe(401);
  });

  it.each(['svg', 'html'] as const)('hides %s from viewers, as query strings are', async (kind) => {
    expect((await load(ids[kind])).status).toBe(403);
  });

  it.each(['svg', 'html'] as const)('gives %s as a download of no type, never to be drawn', async (kind) => {
    const answer = await load(ids[kind], { cookie: operator });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox/);
    expect(await answer.text()).toContain('<script>');
  });

  it('shows thumbnails', async () => {
    const answer = await load(`${ids.image}/thumbnail/96x96-crop`);

    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'inline']);
    const { width, height } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    expect([width, height]).toEqual([96, 96]);
    expect((await load(`${ids.image}/thumbnail/96x96-crop`, {})).status).toBe(401);
  });

  it.each([
    'nothing',
    '2027-01-01_AAAAAAAAAAAAAAAA',
    '..%2f..%2fdata',
    '%00',
    'ID/thumbnail/0x1-crop',
    'ID/thumbnail/96x96',
    'ID/thumbnail/96x96-fill',
    'ID/thumbnail/999999x1-crop',
    'ID/other',
  ])('answers %s with 404', async (path) => {
    expect((await load(path.replace('ID', ids.image))).status).toBe(404);
  });

  it('does not count as an access by a client', async () => {
    const { client } = kit.service.context.parts.database;
    const row = await client.media.findUniqueOrThrow({ where: { mediaId: ids.html } });

    expect(row.lastAccessTs).toBeNull();
  });
});
