import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { createPreviewProof } from '../../../../src/composition/health/preview-proof.js';
import { HOUR_MS } from '../../../../src/core/base/clock.js';
import { listenOnFreshPort } from '../../../support/fresh-port.js';
import { startTestService, type TestService } from '../../../support/service.js';
import { MEDIA_OWNER_FILE } from '../../../support/media-owner-file.js';

const MEDIA = '/_svc/client/v1/media/';

/** What stands before the service, and what it does with media. */
const proxy = {
  to: '',
  asked: [] as string[],
  media: null as ((response: http.ServerResponse) => void) | null,
};
let server: http.Server;
let url: string;
let service: TestService;
const lent = new Set<TestService>();

beforeAll(async () => {
  server = http.createServer((request, response) => void passOn(request, response));
  url = `http://127.0.0.1:${await listenOnFreshPort(server, '127.0.0.1')}`;
  service = await startTestService({ settings: { public_baseurl: url } });
  proxy.to = service.url;
});
afterEach(async () => {
  Object.assign(proxy, { media: null, to: service.url });
  for (const other of lent) await other.remove();
  lent.clear();
});
afterAll(async () => {
  await service.remove();
  server.close();
  server.closeAllConnections();
});

async function passOn(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { url: path = '', headers } = request;
  proxy.asked.push(path);
  if (proxy.media !== null && path.startsWith(MEDIA)) return proxy.media(response);
  const { authorization } = headers;
  const answer = await fetch(`${proxy.to}${path}`, authorization ? { headers: { authorization } } : {});
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
}

async function proved(of = service) {
  const { finished } = await of.context.services.jobs.registry.runNow('prove_preview', 'ana');
  expect((await finished).outcome).toBe('ok');
  return lineOf(of);
}

async function lineOf({ context }: TestService) {
  const { checks } = await context.services.overview.overview.health();
  return checks.find(({ key }) => key === 'preview_page');
}

/** What is left of a proof. */
async function traces({ context }: TestService) {
  const { client } = context.parts.database;
  const files = await readdir(context.config.media_store_path, { recursive: true, withFileTypes: true });
  return {
    media: await client.media.count(),
    thumbnails: await client.mediaThumbnail.count(),
    previews: await client.previewCache.count(),
    refusals: await client.blacklistHit.count(),
    tokens: await client.accessToken.count(),
    files: files.filter((entry) => entry.isFile() && entry.name !== MEDIA_OWNER_FILE).map(({ name }) => name),
  };
}

const NOTHING = { media: 0, thumbnails: 0, previews: 0, refusals: 0, tokens: 0, files: [] };

async function another(settings: Record<string, unknown>): Promise<TestService> {
  const made = await startTestService({ settings: { public_baseurl: url, ...settings } });
  lent.add(made);
  proxy.to = made.url;
  return made;
}

describe('a preview of a page of our own', () => {
  it('is not proved at first, then fine by the public address, and leaves nothing behind', async () => {
    expect(await lineOf(service)).toMatchObject({ state: 'unproved', provedTs: null, job: 'prove_preview' });

    expect(await proved()).toMatchObject({
      state: 'ok',
      message: `A page of our own was previewed; its image and a thumbnail came from ${url}${MEDIA.slice(0, -1)}, the page, too.`,
      provedTs: service.clock.now(),
    });
    expect(
      proxy.asked.map((path) => path.replace(/[^/?]+(?=\?|$)/, '…').replace(/token=.*/, 'token=…')),
    ).toEqual([
      `${MEDIA}download/notary.test/…`,
      expect.stringMatching(/^\/_svc\/client\/v1\/media\/thumbnail\/notary\.test\//),
      `${MEDIA}download/notary.test/…?access_token=…`,
    ]);
    expect(await traces(service)).toEqual(NOTHING);

    service.clock.advance(HOUR_MS);
    expect(await lineOf(service)).toMatchObject({ state: 'unproved' });
  });

  it('fails where a proxy sends media elsewhere, and where it sends other bytes', async () => {
    proxy.media = (response) => response.writeHead(404, { 'Content-Type': 'text/html' }).end('nginx');
    const elsewhere = await proved();
    proxy.media = (response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end('none');
    const other = await proved();

    expect(elsewhere).toMatchObject({ state: 'failed' });
    expect(elsewhere?.message).toMatch(/^The image of a preview .* status 404 by another server\.$/);
    expect(elsewhere?.advice).toContain('config proxy nginx');
    expect(other?.message).toMatch(/status 200 and 4 other bytes by another server\.$/);
    expect(await traces(service)).toEqual(NOTHING);
  });

  it('fails while media cannot be written, and heals by itself', async () => {
    const { media_store_path: folder } = service.context.config;
    await rename(folder, `${folder}-away`);
    await writeFile(folder, '');
    const broken = await proved();
    await rm(folder);
    await rename(`${folder}-away`, folder);

    expect(broken).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^No preview can be made/),
    });
    expect(await proved()).toMatchObject({ state: 'ok' });
  });

  it('fails where no thumbnail can be made', async () => {
    const small = await another({ max_image_pixels: '1K' });

    expect(await proved(small)).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^The thumbnail of a preview .* status 404\.$/),
    });
    expect(await traces(small)).toEqual(NOTHING);
  });

  it('says what is not proved where our own address may not be asked, and keeps no refusal', async () => {
    const strict = await another({ url_preview_ip_range_whitelist: [] });
    const line = await proved(strict);

    expect(line).toMatchObject({ state: 'unproved', provedTs: strict.clock.now() });
    expect(line?.message).toMatch(/a thumbnail came from .*Not proved: downloads.*127\.0\.0\.1/);
    await strict.context.services.previews.hits.flush();
    expect(await traces(strict)).toEqual(NOTHING);
  });

  it('is not proved where it came from our own listener, since no public address is set', async () => {
    const { config, parts, services } = service.context;
    const port = Number(new URL(service.url).port);
    const listeners = config.listeners.map((listener) => ({ ...listener, port }));
    const own = { ...config, public_baseurl: null, listeners };
    const [probe] = createPreviewProof(
      own,
      { ...parts, signingKeys: parts.signingKeys! },
      { ...services.access, previews: services.previews },
    );

    expect(await probe!.prove(new AbortController().signal)).toMatchObject({
      state: 'unproved',
      message: expect.stringMatching(
        /^A page of our own was previewed; .*, the page, too\. Not proved: the way through a proxy/,
      ),
      advice: expect.stringContaining('public_baseurl'),
    });
    expect(await traces(service)).toEqual(NOTHING);
  });

  it('needs no token where media is open to all', async () => {
    const open = await another({ enable_authenticated_media: false });
    proxy.asked.length = 0;

    expect(await proved(open)).toMatchObject({ state: 'ok' });
    expect(proxy.asked.at(-1)).not.toContain('access_token');
  });
});
