import { readdir } from 'node:fs/promises';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../../core/preview/media/sample-images.js';
import { testEngines } from '../../../../support/store/databases.js';
import { loadMedia } from '../../../../support/clients/preview-client.js';
import { page } from '../../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from '../preview-kit.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(testEngines())('what is left of previews over time (SPEC §4.8), on %s', (engine) => {
  let kit: PreviewKit;
  let uris: { image: unknown; target: unknown };
  let files = 0;

  beforeAll(async () => {
    kit = await startPreviewKit({ engine });
    const png = await sampleImage(700, 500).png().toBuffer();
    kit.serve('/shot.png', page(png, { type: 'image/png' }));
    kit.serve('/target.png', page(png, { type: 'image/png' }));
    const url = kit.serve('/page', tagged({ 'og:title': 'T', 'og:image': '/shot.png' }));
    const { body } = await kit.preview(url);
    uris = {
      image: body['og:image'],
      target: (await kit.preview('/target.png')).body['og:image'],
    };
    files = (await stored()).length;
  });
  afterAll(() => kit.remove());

  const client = () => kit.service.context.parts.database.client;
  /** All media below media_store_path, folders too. */
  const everything = async () => {
    const path = kit.service.context.config.media_store_path;
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    return entries.filter(({ name }) => name !== 'tmp');
  };
  /** Thumbnails are made behind the answers. */
  const settle = () => kit.service.context.services.previews.media.making.settle();
  const stored = async () => {
    await settle();
    return (await everything()).filter((entry) => entry.isFile());
  };
  const cleanAfter = async (ms: number) => {
    await settle();
    kit.service.clock.advance(ms);
    const { cleanup } = kit.service.context.services.previews;
    return (await cleanup.runs.start(kit.service.clock.now(), 'alice')).finished;
  };
  const loads = async (uri: unknown) => (await loadMedia(kit.service, kit.token, uri)).status;

  it('before the hour is over nothing goes', async () => {
    await cleanAfter(HOUR_MS);
    expect(await client().previewCache.count()).toBe(2);
    expect((await stored()).length).toBe(files);
  });

  it('after it rows and the page’s file go; images, thumbnails and media rows stay', async () => {
    await cleanAfter(1);
    expect(await client().previewCache.count()).toBe(0);
    expect((await stored()).length).toBe(files - 1);
    expect(await client().media.count()).toBe(3);
    expect(await loads(uris.image)).toBe(200);
    expect(await loads(uris.target)).toBe(200);
  });

  it('a link asked for again is previewed anew, though its row is gone', async () => {
    const { status, body } = await kit.preview('/page');
    expect([status, body['og:title']]).toEqual([200, 'T']);
    expect(kit.hits('/page').length).toBe(2);
  });

  it('after two days media of previews go with thumbnails, rows and empty folders', async () => {
    await cleanAfter(2 * DAY_MS + 1);
    await cleanAfter(1);
    expect(await client().media.count()).toBe(0);
    expect(await client().mediaThumbnail.count()).toBe(0);
    expect(await client().previewCache.count()).toBe(0);
    expect(
      (await everything()).filter((entry) => !['url_cache', 'url_cache_thumbnails'].includes(entry.name)),
    ).toEqual([]);
    expect(await loads(uris.image)).toBe(404);
    expect(await loads(uris.target)).toBe(404);
  });

  it('keeps what a person asks for again while it expires', async () => {
    // The page expires at once, so every round meets the cleanup (security.md 93).
    kit.serve(
      '/expiring.json',
      page('{"version":"1.0","type":"link","title":"E","cache_age":0}', { type: 'application/json' }),
    );
    const link = '<link rel="alternate" type="application/json+oembed" href="/expiring.json">';
    kit.serve('/expiring', tagged({ 'og:image': '/shot.png' }).replace('<head>', `<head>${link}`));
    for (let round = 0; round < 10; round += 1) {
      kit.service.clock.advance(HOUR_MS);
      const [answer, report] = await Promise.all([kit.preview('/expiring'), cleanAfter(1)]);
      expect([answer.status, answer.body['og:title'], report.reason]).toEqual([200, 'E', null]);
      expect(await loads(answer.body['og:image'])).toBe(200);
    }
  });
});
