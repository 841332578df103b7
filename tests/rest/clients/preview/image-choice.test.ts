import { beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { onlyEnhanced } from '../../../support/extraction.js';
import { page } from '../../../support/origins/remote-site.js';
import { SITE_NAME, startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>';
const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
const ICO = Buffer.concat([Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0]), Buffer.alloc(40)]);
const kit = setUp(startPreviewKit);
let number = 0;

beforeAll(async () => {
  const png = (width: number, height: number) => sampleImage(width, height).png().toBuffer();
  kit.serve('/dot', page(await png(1, 1), { type: 'image/png' }));
  kit.serve('/strip', page(await png(300, 8), { type: 'image/png' }));
  kit.serve('/good', page(await png(100, 50), { type: 'image/png' }));
  kit.serve('/other', page(await png(120, 60), { type: 'image/png' }));
  kit.serve('/broken', page((await png(100, 50)).subarray(0, 30), { type: 'image/png' }));
  kit.serve('/untyped', page(await png(80, 50), { type: null }));
  kit.serve('/text', page('no image at all', { type: 'image/jpeg' }));
  kit.serve('/markup', page('<!doctype html><title>Log in</title>', { type: 'image/png' }));
  kit.serve('/empty', page('', { type: 'image/png' }));
  kit.serve('/svg', page(SVG, { type: 'image/svg+xml' }));
  kit.serve('/heic', page(HEIC, { type: 'image/heic' }));
  kit.serve('/ico', page(ICO, { type: 'image/x-icon' }));
});

async function shown(body: string, tags: Record<string, string> = {}) {
  number += 1;
  const answer = await kit.preview(kit.serve(`/page/${number}`, tagged({ 'og:title': 'T', ...tags }, body)));
  return answer.body;
}

const imgs = (...paths: string[]): string => paths.map((path) => `<img src="${path}">`).join('');

describe('the choice among images that load', () => {
  it.each([
    ['a dot', '/dot'],
    ['a broken image', '/broken'],
    ['text labelled as an image', '/text'],
    ['an SVG, which is never decoded,', '/svg'],
  ])('%s is passed over for a good one', onlyEnhanced(), async (_name, poor) => {
    expect((await shown(imgs(poor, '/good')))['og:image:width']).toBe(100);
    expect((await shown(imgs('/good'), { 'og:image': poor }))['og:image:width']).toBe(100);
  });

  it('a tiny image wins over a broken one, and that over mere text', onlyEnhanced(), async () => {
    expect((await shown(imgs('/text', '/broken', '/dot')))['og:image:width']).toBe(1);
    const answer = await shown(imgs('/text', '/broken'));
    expect(answer['og:image:type']).toBe('image/png');
  });

  it.each([['text'], ['markup'], ['empty']])('bytes that are none, %s, are no image', async (what) => {
    const { body } = await kit.preview(
      kit.serve(`/none/${what}`, tagged({ 'og:title': 'T', 'og:image': `/${what}`, 'og:image:alt': 'A' })),
    );

    expect(Object.keys(body).filter((key) => key.includes('image'))).toEqual([]);
  });

  it('images under another label are images, and other files say nothing', async () => {
    const jpeg = await sampleImage(90, 40).jpeg().toBuffer();
    const type = 'text/html; charset=utf-8';

    const { body } = await kit.preview(kit.serve('/hidden.jpg', page(jpeg, { type })));

    expect([body['og:image:type'], body['og:image:width'], body['og:title']]).toEqual([
      'image/jpeg',
      90,
      undefined,
    ]);
    for (const start of [
      '%PDF-1.7\n%\xe2\xe3\n1 0 obj',
      'PK\x03\x04\x14\0\x08\0\x08\0a',
      '\0\0\0\x18ftypmp42',
    ]) {
      const file = Buffer.concat([
        Buffer.from(start, 'latin1'),
        Buffer.from('<title>A title</title>'.repeat(9)),
      ]);
      expect((await kit.preview(kit.serve(`/file/${start.length}`, page(file, { type })))).body).toEqual({});
    }
  });

  it('SPEC §4.7.5: one without a Content-Type is none, whatever its bytes', async () => {
    expect(await shown(imgs('/untyped'))).toEqual({ 'og:title': 'T', 'og:description': null });
  });
});

describe('what our own full queue keeps out', () => {
  it('is missing from the answers of half a minute, not from the next', async () => {
    const dns = { hosts: { [SITE_NAME]: ['127.0.0.1'], 'pictures.test': ['127.0.0.1'] } };
    const busy = await startPreviewKit({
      settings: { dns, previews: { max_queued: 0 } },
    });
    try {
      const image = busy.site.url('/good.png', 'pictures.test');
      busy.serve('/good.png', page(await sampleImage(100, 50).png().toBuffer(), { type: 'image/png' }));
      busy.serve('/page', tagged({ 'og:title': 'T', 'og:image': image }));
      const releases: (() => void)[] = [];
      // As many as one host may have.
      const held = ['/held/1', '/held/2'].map((path) => {
        busy.serve(path, (request, response) => {
          releases.push(() => page(tagged({ 'og:title': 'Held' }))(request, response));
        });
        return busy.preview(busy.site.url(path, 'pictures.test'));
      });
      await expect.poll(() => releases.length).toBe(2);

      const { status, body } = await busy.preview('/page');
      expect([status, body]).toEqual([200, { 'og:title': 'T', 'og:description': null }]);
      expect(await busy.service.context.parts.database.client.previewCache.count()).toBe(0);
      expect(busy.service.logs).toContainEqual(
        expect.objectContaining({ level: 'warn', bound: 'download_waiting', about: 'pictures.test' }),
      );
      const checks = await busy.service.context.services.health.look();
      expect(checks.find(({ id }) => id === 'limits')).toMatchObject({
        state: 'warning',
        message: expect.stringContaining('Preview queue, previews.max_queued') as string,
      });
      for (const release of releases) release();
      await Promise.all(held);
      expect((await busy.preview('/page')).body).not.toHaveProperty(['og:image']);
      busy.service.clock.advance(30_001);
      expect((await busy.preview('/page')).body['og:image:width']).toBe(100);
    } finally {
      await busy.remove();
    }
  });
});
