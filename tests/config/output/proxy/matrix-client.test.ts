import http from 'node:http';

import { createClient, type MatrixClient } from 'matrix-js-sdk';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startBeside, type BesideHomeserver } from '../../../support/proxies/beside-homeserver.js';
import { listenOnFreshPort } from '../../../support/fresh-port.js';
import { page, startRemoteSite, type RemoteSite } from '../../../support/origins/remote-site.js';
import { proxyMissing } from '../../../support/proxies/reverse-proxies.js';
import { OWN_NAME } from '../../../support/service.js';

const USER = `@alice:${OWN_NAME}`;
const TOKEN = 'token-of-the-homeserver';
const OWN_MEDIA = `mxc://${OWN_NAME}/AbCdEfGhIjKlMnOp`;
/** An id of our form that the homeserver has from before. */
const FORMER_MEDIA = `mxc://${OWN_NAME}/2026-01-02_ABCDEFGHIJKLMNop`;
const BYTES = 'bytes of the homeserver';
const IMAGE = { width: 1200, height: 630 };

/** Sizes at which clients ask for the picture of a preview; none: the picture itself. */
const SIZES = [
  ['Element Android, Element iOS', undefined, undefined],
  ['Element Web', 100, 100],
  ['Element Web on a screen of twice the density', 200, 200],
  ['Cinny', 256, 256],
] as const;

/** A homeserver's side: versions, login, tokens and media of its own. */
async function startClientHomeserver(version: string) {
  const answers: Record<string, unknown> = {
    '/_matrix/client/versions': { versions: ['v1.1', version] },
    '/_matrix/client/v3/login': { user_id: USER, access_token: TOKEN, device_id: 'A' },
    '/_matrix/client/v3/account/whoami': { user_id: USER },
  };
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://homeserver');
    const isKnown = pathname.endsWith('/login') || request.headers.authorization === `Bearer ${TOKEN}`;
    const answer = answers[pathname];
    if (answer !== undefined && (isKnown || pathname.endsWith('/versions'))) {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    } else if (pathname.includes('/media/')) {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(BYTES);
    } else {
      response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"errcode":"M_UNKNOWN_TOKEN"}');
    }
  });
  const address = `127.0.0.1:${await listenOnFreshPort(server, '127.0.0.1')}`;
  return { address, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}

const QUIET = {
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  getChild: () => QUIET,
};

let site: RemoteSite;
beforeAll(async () => {
  site = await startRemoteSite();
  const image = await sharp({ create: { ...IMAGE, channels: 3, background: '#276' } })
    .png()
    .toBuffer();
  site.pages.set('/image.png', page(image, { type: 'image/png' }));
  site.pages.set('/page', page(`<meta property="og:image" content="/image.png"><title>A page</title>`));
});
afterAll(() => site.close());

/** What the client does under a homeserver of each kind. */
const HOMESERVERS = [
  { version: 'v1.11', isAuthenticated: true, under: '/_matrix/client/v1/media' },
  { version: 'v1.10', isAuthenticated: false, under: '/_matrix/media/v3' },
];

describe.each(['nginx', 'caddy'] as const)('%s', (server) => {
  const missing = proxyMissing(server);
  const inFront = missing ?? 'in front of a homeserver and us';

  describe.skipIf(missing !== null).each(HOMESERVERS)(
    `${inFront}, matrix-js-sdk with $version`,
    ({ version, isAuthenticated, under }) => {
      let homeserver: Awaited<ReturnType<typeof startClientHomeserver>>;
      let beside: BesideHomeserver;
      let client: MatrixClient;
      beforeAll(async () => {
        homeserver = await startClientHomeserver(version);
        beside = await startBeside(server, homeserver.address, {
          enable_authenticated_media: isAuthenticated,
        });
        client = createClient({ baseUrl: beside.proxy.url, logger: QUIET });
        const login = await client.loginRequest({
          type: 'm.login.password',
          identifier: { type: 'm.id.user', user: USER },
          password: 'secret',
        });
        client = createClient({
          baseUrl: beside.proxy.url,
          userId: login.user_id,
          accessToken: login.access_token,
          logger: QUIET,
        });
      });
      afterAll(async () => {
        await beside?.stop();
        await homeserver?.close();
      });

      const preview = () => client.getUrlPreview(site.url('/page#part'), beside.service.clock.now());

      /** Loads media at the address that the client builds, with the token where such media wants one. */
      const load = async (uri: string, width?: number, height?: number) => {
        const method = width === undefined ? undefined : 'scale';
        const address = client.mxcUrlToHttp(uri, width, height, method, false, true, isAuthenticated) ?? '';
        expect(new URL(address).pathname.startsWith(`${under}/`)).toBe(true);
        return fetch(address, {
          headers: isAuthenticated ? { Authorization: `Bearer ${client.getAccessToken() ?? ''}` } : {},
        });
      };

      it('previews a page', async () => {
        expect(await preview()).toMatchObject({
          'og:title': 'A page',
          'og:image': expect.stringMatching(`^mxc://${OWN_NAME}/`) as string,
          'og:image:width': IMAGE.width,
          'matrix:image:size': expect.any(Number) as number,
        });
        const asked = () =>
          beside.service.logs.findLast(({ target }) => String(target).includes('preview_url'));
        await expect.poll(() => asked()?.['target']).toMatch(`${under}/preview_url?`);
      });

      it.each(SIZES)('has its picture at the size that %s asks for', async (_client, width, height) => {
        const { 'og:image': uri } = await preview();
        const response = await load(uri ?? '', width, height);
        const { format, ...size } = await sharp(await response.arrayBuffer()).metadata();
        expect([response.status, response.headers.get('content-type'), format]).toEqual([
          200,
          'image/png',
          'png',
        ]);
        expect(response.headers.get('access-control-allow-origin')).toBe('*');
        expect(size.width).toBeGreaterThanOrEqual(width ?? IMAGE.width);
        expect(size.width === IMAGE.width).toBe(width === undefined);
      });

      it.each([OWN_MEDIA, FORMER_MEDIA])('has %s from the homeserver, as before', async (uri) => {
        for (const size of [[], [100, 100]]) {
          const response = await load(uri, ...size);
          expect([response.status, await response.text()]).toEqual([200, BYTES]);
        }
      });
    },
  );
});
