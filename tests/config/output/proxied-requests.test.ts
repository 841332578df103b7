import { KEY_QUERY_LIMITS } from '../../../src/core/notary/keys/key-query.js';
import http from 'node:http';

import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PROXY_SERVERS } from '../../../src/config/output/proxy.js';
import { createToken, mediaPath } from '../../support/clients/preview-client.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import {
  BEHIND_PROXY,
  linesFor,
  startBeside,
  type BesideHomeserver,
} from '../../support/proxies/beside-homeserver.js';
import { proxyMissing } from '../../support/proxies/reverse-proxies.js';
import { startProxy, type RunningProxy } from '../../support/proxies/running-proxy.js';
import { OWN_NAME, startTestService, type TestService } from '../../support/service.js';

const UNKNOWN_ID = '2026-01-02_ABCDEFGHIJKLMNop';
/** Another loopback address than the proxy's own. */
const CLIENT = '127.0.0.2';
const FORGED = '203.0.113.9';

interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  json: Record<string, unknown>;
}

interface Asked {
  method?: string;
  token?: string;
  body?: string | Buffer;
}

/** Sends the path as it is written, from the client's address, with a forged address of a client. */
async function ask(
  proxy: RunningProxy,
  path: string,
  { method = 'GET', token, body }: Asked = {},
): Promise<Answer> {
  const { hostname, port } = new URL(proxy.url);
  const headers = {
    'X-Forwarded-For': FORGED,
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(
      { hostname, port, path, method, headers, localAddress: CLIENT },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const isJson = response.headers['content-type']?.includes('json') === true && bytes.length > 0;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: bytes,
            json: isJson ? (JSON.parse(bytes.toString()) as Record<string, unknown>) : {},
          });
        });
      },
    );
    request.on('error', reject).end(body);
  });
}

/** Answers everything, and says what it was asked. */
async function startStandIn() {
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => {
      const said = { by: 'homeserver', method, url, bytes, forwarded: headers['x-forwarded-for'] };
      const told = { ...said, authorization: headers.authorization };
      response.writeHead(url?.endsWith('/none') === true ? 404 : 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(told));
    });
  });
  const address = `127.0.0.1:${await listenOnFreshPort(server, '127.0.0.1')}`;
  return { address, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) };
}

let site: RemoteSite;
beforeAll(async () => {
  site = await startRemoteSite();
  const image = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#276' } })
    .png()
    .toBuffer();
  site.pages.set('/image.png', page(image, { type: 'image/png' }));
  site.pages.set('/page', page(`<meta property="og:image" content="/image.png"><title>A page</title>`));
});
afterAll(() => site.close());

/** The client as our own log has it, in the last request whose target holds a text. */
const clientOf = (service: TestService, text: string) =>
  service.logs.findLast(({ msg, target }) => msg === 'request' && String(target).includes(text))?.['client'];

describe.each(PROXY_SERVERS)('%s', (server) => {
  const missing = proxyMissing(server);

  describe.skipIf(missing !== null)(`${missing ?? 'in front of'} a homeserver and this service`, () => {
    let homeserver: Awaited<ReturnType<typeof startStandIn>>;
    let beside: BesideHomeserver;
    let service: TestService;
    let proxy: RunningProxy;
    let token: string;
    beforeAll(async () => {
      homeserver = await startStandIn();
      beside = await startBeside(server, homeserver.address);
      ({ service, proxy } = beside);
      token = await createToken(service);
    });
    afterAll(async () => {
      await beside?.stop();
      await homeserver?.close();
    });

    const previewPath = () =>
      `/_matrix/client/v1/media/preview_url?url=${encodeURIComponent(site.url('/page'))}`;

    it.each(['client/v1/media', 'media/r0', 'media/v1', 'media/v3'])(
      'brings previews under %s here',
      async (under) => {
        const path = `/_matrix/${under}/preview_url?url=${encodeURIComponent(site.url('/page'))}`;
        expect((await ask(proxy, path, { token })).json).toMatchObject({ 'og:title': 'A page' });
        expect(await ask(proxy, path, { method: 'OPTIONS' })).toMatchObject({
          status: 200,
          json: {},
          headers: { allow: 'OPTIONS, GET' },
        });
        expect(await ask(proxy, path, { method: 'HEAD', token })).toMatchObject({ status: 200 });
        expect(await ask(proxy, path)).toMatchObject({ status: 401, json: { errcode: 'M_MISSING_TOKEN' } });
      },
    );

    it('states the address of the client and no other', async () => {
      await ask(proxy, previewPath(), { token });
      await expect.poll(() => clientOf(service, 'preview_url')).toBe(CLIENT);
      await ask(proxy, '/_matrix/key/v2/query/other.test');
      await expect.poll(() => clientOf(service, 'key/v2/query')).toBe(CLIENT);
    });

    it('brings images of previews and their thumbnails here', async () => {
      const { json } = await ask(proxy, previewPath(), { token });
      const media = mediaPath(json['og:image']);
      for (const under of ['client/v1/media', 'media/r0', 'media/v1', 'media/v3']) {
        for (const path of [
          `download/${media}`,
          `download/${media}/a%20name.png`,
          `thumbnail/${media}?width=32&height=32`,
        ]) {
          const { status, headers, body } = await ask(proxy, `/_matrix/${under}/${path}`, { token });
          expect([status, headers['content-type'], body.length > 0]).toEqual([200, 'image/png', true]);
        }
      }
      expect(await ask(proxy, `/_matrix/media/v3/download/${media}`, { method: 'OPTIONS' })).toMatchObject({
        status: 204,
      });
    });

    it.each([
      ['GET', `/_matrix/media/v3/download/${OWN_NAME}/AbCdEfGhIjKlMnOp`],
      ['GET', `/_matrix/media/v3/download/other.test/${UNKNOWN_ID}`],
      ['GET', `/_matrix/client/v1/media/thumbnail/${OWN_NAME}/2026-01-02_tooshort?width=1`],
      ['GET', '/_matrix/client/v1/media/config'],
      ['GET', '/_matrix/media/v3/preview_url/more'],
      ['GET', '/_matrix/key/v2/server'],
      ['GET', '/_matrix/key/v2/server/ed25519:a'],
      ['GET', '/_matrix/key/v2/querying'],
      ['GET', '/_matrix/client/v3/sync?since=a%2Fb'],
      ['PUT', '/_matrix/federation/v1/send/1'],
    ])('leaves %s %s to the homeserver', async (method, path) => {
      const { json } = await ask(proxy, path, { method });
      expect(json).toMatchObject({ by: 'homeserver', method, url: path });
    });

    it('brings key queries here, up to the largest body we take', async () => {
      expect((await ask(proxy, '/_matrix/key/v2/query/other.test')).json).toEqual({ server_keys: [] });
      const encoded = '/_matrix/key/v2/query/other.test/ed25519%3Aa?minimum_valid_until_ts=x';
      expect((await ask(proxy, encoded)).json).toMatchObject({ errcode: 'M_INVALID_PARAM' });
      const posted = (body: string) => ask(proxy, '/_matrix/key/v2/query', { method: 'POST', body });
      const { maxBodyBytes: most } = KEY_QUERY_LIMITS;
      const whole = `{"server_keys": {}${' '.repeat(most)}`.slice(0, most - 1);
      expect((await posted(`${whole}}`)).json).toEqual({ server_keys: [] });
    });

    it.each(['/metrics', '/health/live', '/admin/', '/_svc/key/v2/server'])(
      'shows nobody %s',
      async (path) => {
        const { headers, body } = await ask(proxy, path);
        expect([headers['x-request-id'], body.includes('"by"')]).toEqual([undefined, false]);
      },
    );
  });

  describe.skipIf(missing !== null)(`${missing ?? 'in front of'} this service alone`, () => {
    let service: TestService;
    let proxy: RunningProxy;
    let token: string;
    beforeAll(async () => {
      const [listener] = BEHIND_PROXY.listeners;
      const resources = [...(listener?.resources ?? []), 'log'];
      service = await startTestService({ settings: { listeners: [{ ...listener, resources }] } });
      token = await createToken(service);
      proxy = await startProxy(server, { lines: linesFor(service, server), homeserver: null });
    });
    afterAll(async () => {
      await proxy?.stop();
      await service?.remove();
    });

    it('brings previews, images, key queries and our own record here, and nothing else', async () => {
      const path = `/_svc/media/v3/preview_url?url=${encodeURIComponent(site.url('/page'))}`;
      const { json } = await ask(proxy, path, { token });
      expect(json).toMatchObject({ 'og:title': 'A page' });
      await expect.poll(() => clientOf(service, 'preview_url')).toBe(CLIENT);
      const image = await ask(proxy, `/_svc/client/v1/media/download/${mediaPath(json['og:image'])}`, {
        token,
      });
      expect([image.status, image.headers['content-type']]).toEqual([200, 'image/png']);
      const gone = await ask(proxy, `/_svc/media/v3/download/${OWN_NAME}/${UNKNOWN_ID}`, { token });
      expect(gone).toMatchObject({ status: 404, json: { errcode: 'M_NOT_FOUND' } });

      expect((await ask(proxy, '/_svc/key/v2/server')).json).toMatchObject({ server_name: OWN_NAME });
      expect((await ask(proxy, `/_svc/key/v2/query/${OWN_NAME}`)).json).toMatchObject({
        server_keys: [{ server_name: OWN_NAME }],
      });
      for (const other of [
        '/metrics',
        '/health/live',
        '/admin/',
        '/_matrix/key/v2/server',
        '/_svc/media/v3/upload',
      ]) {
        expect((await ask(proxy, other)).headers['x-request-id']).toBeUndefined();
      }
    });
  });
});
