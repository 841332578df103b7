import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';

import { ask, mediaPath } from '../../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { tagged } from './preview-kit.js';

const WHOAMI = '/_matrix/client/v3/account/whoami';
const PATHS = ['media/r0', 'media/v1', 'media/v3', 'client/v1/media'].map((folder) => `/_matrix/${folder}`);

/** Users by access token, as the homeserver knows them. */
const USERS = new Map<string, object>([
  ['user', { user_id: '@u:home.test' }],
  ['guest', { user_id: '@g:home.test', is_guest: true }],
  ['odd', { user_id: 7 }],
  ['device', { user_id: '@d:home.test', device_id: 'X' }],
]);

let homeserver: RemoteSite;
let site: RemoteSite;
let service: TestService;

beforeAll(async () => {
  homeserver = await startRemoteSite();
  site = await startRemoteSite();
  homeserver.pages.set(WHOAMI, (request, response) => {
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const user = USERS.get(token);
    const refusal = { errcode: 'M_UNKNOWN_TOKEN', error: 'x', soft_logout: token === 'soft' };
    const status = token === 'broken' ? 500 : user === undefined ? 401 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(user ?? refusal));
  });
  const image = await sharp({ create: { width: 120, height: 90, channels: 3, background: '#123456' } })
    .png()
    .toBuffer();
  site.pages.set('/picture.png', page(image, { type: 'image/png' }));
  site.pages.set('/page', page(tagged({ 'og:title': 'Matrix', 'og:image': '/picture.png' })));
  service = await start({});
});
afterAll(async () => {
  await service.remove();
  await homeserver.close();
  await site.close();
});

function start(settings: Record<string, unknown>): Promise<TestService> {
  return startTestService({
    settings: { dialect: 'matrix', auth: { homeserver_url: homeserver.url('/') }, ...settings },
  });
}

function previewAs(token: string, path = PATHS[3]!, on = service) {
  const target = `${path}/preview_url?url=${encodeURIComponent(site.url('/page'))}`;
  return ask(on, target, { headers: { Authorization: `Bearer ${token}` } });
}

describe('names of the matrix dialect', () => {
  it.each(PATHS)('%s answers with matrix:image:size and an mxc URI that loads', async (path) => {
    const { status, body } = await previewAs('user', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({ 'og:title': 'Matrix', 'og:image:width': 120, 'og:image:height': 90 });
    expect(body['og:image']).toMatch(/^mxc:\/\/notary\.test\/\d{4}-\d\d-\d\d_[A-Za-z]{16}$/);
    expect(Number.isInteger(body['matrix:image:size'])).toBe(true);
    expect(Object.keys(body)).not.toContain('svc:image:size');
    const media = await fetch(`${service.url}${path}/download/${mediaPath(body['og:image'])}`, {
      headers: { Authorization: 'Bearer user' },
    });
    expect(media.status).toBe(200);
    expect((await media.arrayBuffer()).byteLength).toBe(body['matrix:image:size']);
  });
});

describe('access tokens of the homeserver', () => {
  it('make their user the owner of stored media', async () => {
    const { body } = await previewAs('user');
    const mediaId = mediaPath(body['og:image']).split('/')[1];
    const row = await service.context.parts.database.client.media.findFirst({ where: { mediaId } });
    expect(row?.userId).toBe('@u:home.test');
  });

  it('of guests are refused with 403 M_GUEST_ACCESS_FORBIDDEN', async () => {
    const { status, body } = await previewAs('guest');
    expect(status).toBe(403);
    expect(body['errcode']).toBe('M_GUEST_ACCESS_FORBIDDEN');
  });
});
