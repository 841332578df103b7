import { beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { ask, mediaPath } from '../../../support/clients/preview-client.js';
import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

const kit = setUp(startPreviewKit);
/** Server name and media id of the image, an SVG and a page. */
const at = { image: '', svg: '', page: '' };
let jpeg: Buffer;

beforeAll(async () => {
  jpeg = await sampleImage(1600, 1000).jpeg().toBuffer();
  const name = { 'content-disposition': 'inline; filename="view.jpg"' };
  kit.serve('/view.jpg', page(jpeg, { type: 'image/jpeg', headers: name }));
  kit.serve('/x.svg', page(SVG, { type: 'image/svg+xml' }));
  const url = kit.serve('/page', tagged({ 'og:title': 'T', 'og:image': '/view.jpg' }));
  at.image = mediaPath((await kit.preview(url)).body['og:image']);
  at.svg = mediaPath((await kit.preview('/x.svg')).body['og:image']);
  const { client } = kit.service.context.parts.database;
  const row = await client.previewCache.findFirstOrThrow({ where: { url } });
  at.page = `notary.test/${row.mediaId}`;
});

function load(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${kit.service.url}/_svc/${path}`, {
    headers: { Authorization: `Bearer ${kit.token}`, ...headers },
  });
}

describe('media without a token', () => {
  it('are 401, preflight is not', async () => {
    for (const kind of ['download', 'thumbnail']) {
      const target = `/_svc/client/v1/media/${kind}/${at.image}?width=96&height=96`;
      const refused = await ask(kit.service, target);
      expect([refused.status, refused.body['errcode']]).toEqual([401, 'M_MISSING_TOKEN']);
      const preflight = await fetch(kit.service.url + target, { method: 'OPTIONS' });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    }
  });

  it('load when the setting allows it', async () => {
    await kit.restart({ enable_authenticated_media: false });
    const response = await fetch(`${kit.service.url}/_svc/media/v3/download/${at.image}`);
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe(jpeg.length);
    await kit.restart({ enable_authenticated_media: true });
  });
});

describe('what is not a plain image', () => {
  it('an SVG is a download that cannot run', async () => {
    const response = await load(`client/v1/media/download/${at.svg}`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(SVG);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(response.headers.get('content-type')).not.toMatch(/html/);
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
  });

  it('a stored page is a download', async () => {
    const response = await load(`client/v1/media/download/${at.page}`);
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});
