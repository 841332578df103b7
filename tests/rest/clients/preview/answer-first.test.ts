import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { createToken, mediaPath, preview } from '../../../support/clients/preview-client.js';
import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'avif'] as const;

const kit = setUp(startPreviewKit);
let bob: string;

beforeAll(async () => {
  bob = await createToken(kit.service, '@bob:notary.test');
  const jpeg = await sampleImage(1200, 800).jpeg().toBuffer();
  // Its head tells a size, and no scan follows.
  const head = jpeg.subarray(0, jpeg.indexOf(Buffer.from([0xff, 0xda])));
  kit.serve('/damaged.jpg', page(head, { type: 'image/jpeg' }));
  for (const format of FORMATS) {
    const image = await sampleImage(1200, 800).toFormat(format, { effort: 1 }).toBuffer();
    kit.serve(`/view.${format}`, page(image, { type: `image/${format}` }));
    kit.serve(`/page/${format}`, tagged({ 'og:title': 'T', 'og:image': `/view.${format}` }));
  }
});

const thumbnails = (contentUri: unknown) =>
  kit.service.context.parts.database.client.mediaThumbnail.count({
    where: { mediaId: mediaPath(contentUri).split('/')[1]! },
  });

function loadThumbnail(contentUri: unknown): Promise<Response> {
  const query = 'width=96&height=96&method=crop';
  return fetch(`${kit.service.url}/_svc/client/v1/media/thumbnail/${mediaPath(contentUri)}?${query}`, {
    headers: { Authorization: `Bearer ${bob}` },
  });
}

describe('an image whose head tells its size', () => {
  it.each(FORMATS)('of type %s is in the answer; its thumbnails follow', async (format) => {
    const { body } = await preview(kit.service, bob, kit.url(`/page/${format}`));

    expect(body).toMatchObject({ 'og:image:width': 1200, 'og:image:height': 800 });
    const thumbnail = await loadThumbnail(body['og:image']);
    expect(thumbnail.status).toBe(200);
    const { width, height } = await sharp(await thumbnail.arrayBuffer()).metadata();
    expect([width, height]).toEqual([96, 96]);
    expect(await thumbnails(body['og:image'])).toBe(5);
  });

  it('has no size when it is the target and no scan follows its head (SPEC §4.7.6)', async () => {
    const { body } = await kit.preview('/view.jpeg');
    const damaged = await kit.preview('/damaged.jpg');

    expect(body).toMatchObject({ 'og:image:width': 1200, 'og:image:height': 800 });
    expect(damaged.body).not.toHaveProperty('og:image:width');
    await kit.service.context.services.previews.media.making.settle();
    expect(await thumbnails(body['og:image'])).toBe(5);
  });

  it('leaves no line of an error when the server stops at once', async () => {
    await kit.preview(kit.serve('/last', tagged({ 'og:title': 'T', 'og:image': '/view.jpeg' })));

    await kit.service.stop();

    expect(kit.service.logs.filter(({ level }) => ['warn', 'error'].includes(level))).toEqual([]);
  });
});
