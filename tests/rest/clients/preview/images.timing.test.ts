import { beforeAll, describe, expect, it } from 'vitest';

import { sampleImage, tinyPng } from '../../../core/preview/media/sample-images.js';
import { onlyEnhanced } from '../../../support/extraction.js';
import { page, redirect, type SitePage } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const kit = setUp(startPreviewKit);
let png: Buffer;
let jpeg: Buffer;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>';

beforeAll(async () => {
  png = await sampleImage(100, 50).png().toBuffer();
  jpeg = await sampleImage(400, 300).jpeg().toBuffer();
  kit.serve('/good.png', page(png, { type: 'image/png' }));
  kit.serve('/good.jpg', page(jpeg, { type: 'image/jpeg' }));
  kit.serve('/gone.jpg', page('x', { status: 404 }));
  kit.serve('/page.html', page('<title>no image</title>'));
  kit.serve('/svg', page(SVG, { type: 'image/svg+xml' }));
});

const image = (bytes: Buffer | string, type: string | null, name?: string): SitePage =>
  page(bytes, {
    type,
    headers: name === undefined ? {} : { 'content-disposition': `inline; filename="${name}"` },
  });

describe('an image as target (SPEC §4.7.6)', () => {
  it('description is the file name; type, size and dimensions are integers of the real image', async () => {
    const { body, text } = await kit.preview(kit.serve('/i01', image(png, 'image/png', 'a b.png')));
    expect(body).toEqual({
      'og:description': 'a b.png',
      'og:image': expect.stringMatching(/^svc:\/\/notary\.test\/\d{4}-\d\d-\d\d_[A-Za-z]{16}$/) as unknown,
      'og:image:type': 'image/png',
      'svc:image:size': png.length,
      'og:image:width': 100,
      'og:image:height': 50,
    });
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      'og:description',
      'og:image',
      'og:image:type',
      'svc:image:size',
      'og:image:width',
      'og:image:height',
    ]);
  });

  it.each<[string, () => Buffer | string, string]>([
    ['SVG', () => SVG, 'image/svg+xml'],
    ['garbage labelled PNG', () => 'garbage bytes', 'image/png'],
    ['30,000 pixels square', () => tinyPng(30_000, 30_000), 'image/png'],
  ])('%s is returned without dimensions', async (name, bytes, type) => {
    const answer = await kit.preview(kit.serve(`/odd/${encodeURIComponent(name)}`, image(bytes(), type)));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ 'og:image:type': type, 'svc:image:size': bytes().length });
    expect(answer.body).not.toHaveProperty(['og:image:width']);
  });
});

describe('the image of a page (SPEC §4.7.9)', () => {
  let number = 0;
  async function withTags(tags: Record<string, string>, body = '') {
    number += 1;
    return kit.preview(kit.serve(`/p/${number}`, tagged({ 'og:title': 'T', ...tags }, body)));
  }

  it('what the image really is wins over what the page says', async () => {
    const { body } = await withTags({
      'og:image': '/good.jpg',
      'og:image:width': '9',
      'og:image:height': 'big',
      'og:image:type': 'image/webp',
      'svc:image:size': '1',
    });
    expect(body).toMatchObject({
      'og:image:width': 400,
      'og:image:height': 300,
      'og:image:type': 'image/jpeg',
      'svc:image:size': jpeg.length,
    });
  });

  it('a relative address is that of the final page', async () => {
    kit.serve('/b/x', tagged({ 'og:title': 'T', 'og:image': 'i.png' }));
    kit.serve('/b/i.png', image(png, 'image/png'));
    const { body } = await kit.preview(kit.serve('/a', redirect('/b/x')));
    expect(body['og:image:width']).toBe(100);
    expect(kit.hits('/b/i.png')).toEqual(['/b/i.png']);
  });

  it.each([
    ['a page', '/page.html'],
    ['a missing one', '/gone.jpg'],
    ['a denied address', 'http://10.0.0.1/x.png'],
    ['a broken data URL', 'data:image/png;base64'],
  ])('%s as image leaves no og:image and a 200', async (_name, address) => {
    const { status, body } = await withTags({ 'og:image': address });
    expect(status).toBe(200);
    expect(body['og:title']).toBe('T');
    expect(body).not.toHaveProperty(['og:image']);
    expect(body).not.toHaveProperty(['svc:image:size']);
  });

  it('the next candidate is taken when the first does not load', onlyEnhanced(), async () => {
    const more = '<img src="/good.png" width="600" height="300">';
    const { body } = await withTags({ 'og:image': '/gone.jpg' }, more);
    expect(body['og:image:width']).toBe(100);
  });

  it('a data URL is stored and never sent on', async () => {
    const { body, text } = await withTags({ 'og:image': `data:image/png;base64,${png.toString('base64')}` });
    expect(body).toMatchObject({ 'og:image:width': 100, 'svc:image:size': png.length });
    expect(text).not.toContain('base64');
    const { client } = kit.service.context.parts.database;
    const mediaId = String(body['og:image']).split('/').at(-1)!;
    const row = await client.media.findUniqueOrThrow({ where: { mediaId } });
    expect(row.urlCache).toBe('data:');
  });
});

describe('an image that comes too late', () => {
  it('is left out when the time of the whole preview is over, and the preview is kept', async () => {
    const slow = await startPreviewKit({ settings: { previews: { preview_timeout: '700ms' } } });
    try {
      slow.serve('/never.png', () => {});
      slow.serve('/drip.png', (_request, response) => {
        response.writeHead(200, { 'content-type': 'image/png' });
        const timer = setInterval(() => response.write(png.subarray(0, 1)), 20);
        response.once('close', () => clearInterval(timer));
      });
      // The thread that reads pages starts with the first one, which may take as long on a busy machine.
      await slow.service.context.services.pipeline.warmUp();
      const startMs = performance.now();
      const answers = await Promise.all(
        ['/never.png', '/drip.png'].map((address) =>
          slow.preview(slow.serve(`/late${address}`, tagged({ 'og:title': 'Late', 'og:image': address }))),
        ),
      );
      expect(performance.now() - startMs).toBeLessThan(3000);
      for (const { status, body } of answers) {
        expect([status, body]).toEqual([200, { 'og:title': 'Late', 'og:description': null }]);
      }
      await slow.preview('/late/never.png');
      expect(slow.hits('/late/never.png').length).toBe(1);
    } finally {
      await slow.remove();
    }
  });
});
