import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { createToken, mediaPath, preview } from '../../../support/clients/preview-client.js';
import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from './preview-kit.js';

/** All places there are for one user at the decoder. */
const PLACES = 4;

let kit: PreviewKit;
let bob: string;

beforeAll(async () => {
  kit = await startPreviewKit();
  bob = await createToken(kit.service, '@bob:notary.test');
  const jpeg = await sampleImage(1200, 800).jpeg().toBuffer();
  kit.serve('/view.jpg', page(jpeg, { type: 'image/jpeg' }));
  // Its head tells a size, and no scan follows.
  const head = jpeg.subarray(0, jpeg.indexOf(Buffer.from([0xff, 0xda])));
  kit.serve('/damaged.jpg', page(head, { type: 'image/jpeg' }));
  kit.serve('/page', tagged({ 'og:title': 'T', 'og:image': '/view.jpg' }));
  kit.serve('/first', '<title>Starts the thread that reads pages</title>');
  // Comes in passes, 16 bits and transparency: nothing of it is seen before all of it is decoded, 0.4 s or more.
  const deep = sampleImage(2300, 1700).ensureAlpha(0.5).toColourspace('rgb16');
  const slow = await deep.png({ progressive: true, compressionLevel: 1 }).toBuffer();
  for (let at = 0; at < PLACES; at += 1) kit.serve(`/slow/${at}`, page(slow, { type: 'image/png' }));
  await kit.preview('/first');
});
afterAll(() => kit.remove());

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
  it('is in the answer before the decoder has a place for it; its thumbnails follow', async () => {
    const answered: string[] = [];
    const metrics = async (): Promise<string> => (await fetch(`${kit.service.url}/metrics`)).text();
    const slow = Array.from({ length: PLACES }, (_, at) =>
      kit.preview(`/slow/${at}`).then(({ body }) => answered.push(String(body['og:image:width']))),
    );
    const running = `vidimus_preview_work{work="picture",state="running"} ${PLACES}`;
    await expect.poll(metrics, { interval: 5 }).toContain(running);

    const { body } = await preview(kit.service, bob, kit.url('/page'));
    answered.push('page');

    expect(body).toMatchObject({ 'og:image:width': 1200, 'og:image:height': 800 });
    expect(answered).toEqual(['page']);
    const thumbnail = await loadThumbnail(body['og:image']);
    expect(thumbnail.status).toBe(200);
    const { width, height } = await sharp(await thumbnail.arrayBuffer()).metadata();
    expect([width, height]).toEqual([96, 96]);
    expect(await thumbnails(body['og:image'])).toBe(5);
    await Promise.all(slow);
  });

  it('has no size when it is the target and no scan follows its head (SPEC §4.7.6)', async () => {
    const { body } = await kit.preview('/view.jpg');
    const damaged = await kit.preview('/damaged.jpg');

    expect(body).toMatchObject({ 'og:image:width': 1200, 'og:image:height': 800 });
    expect(damaged.body).not.toHaveProperty('og:image:width');
    await kit.service.context.services.previews.media.making.settle();
    expect(await thumbnails(body['og:image'])).toBe(5);
  });

  it('leaves no line of an error when the server stops at once', async () => {
    await kit.preview(kit.serve('/last', tagged({ 'og:title': 'T', 'og:image': '/view.jpg' })));

    await kit.service.stop();

    expect(kit.service.logs.filter(({ level }) => ['warn', 'error'].includes(level))).toEqual([]);
  });
});
