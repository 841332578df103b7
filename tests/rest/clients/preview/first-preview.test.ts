import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';

import { testEngines } from '../../../support/store/databases.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { createToken, loadMedia, preview } from '../../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';

describe.each(testEngines())('a link nobody has previewed, on %s', (engine) => {
  let service: TestService;
  let site: RemoteSite;
  let token: string;

  beforeAll(async () => {
    site = await startRemoteSite();
    service = await startTestService({
      engine,
      settings: { dns: { hosts: { 'site.test': ['127.0.0.1'] } } },
    });
    token = await createToken(service);
    const image = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#336699' } })
      .jpeg()
      .toBuffer();
    site.pages.set(
      '/page',
      page(
        `<html><head><meta property="og:title" content="Ein Titel – schön">
        <meta property="og:description" content="Was man sieht">
        <meta property="og:image" content="picture.jpg"></head><body>text</body></html>`,
        { type: 'text/html; charset=utf-8' },
      ),
    );
    site.pages.set('/picture.jpg', page(image, { type: 'image/jpeg' }));
  });

  afterAll(async () => {
    await service.remove();
    await site.close();
  });

  it('is downloaded, read, stored and its image can be loaded (SPEC §4.7)', async () => {
    const answer = await preview(service, token, site.url('/page', 'site.test'));

    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      'og:title': 'Ein Titel – schön',
      'og:description': 'Was man sieht',
      'og:image:type': 'image/jpeg',
      'og:image:width': 400,
      'og:image:height': 300,
    });
    expect(answer.body['og:image']).toMatch(/^svc:\/\/notary\.test\/\d{4}-\d\d-\d\d_[A-Za-z]{16}$/);
    expect(typeof answer.body['svc:image:size']).toBe('number');
    const media = await loadMedia(service, token, answer.body['og:image']);
    expect(media.status).toBe(200);
    expect((await media.arrayBuffer()).byteLength).toBe(answer.body['svc:image:size']);
  });

  it('causes exactly two requests, and none the second time', async () => {
    await preview(service, token, site.url('/page', 'site.test'));

    expect(site.hits.map((hit) => hit.path)).toEqual(['/page', '/picture.jpg']);
  });
});
