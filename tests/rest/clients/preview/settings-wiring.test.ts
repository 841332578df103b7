import http from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged, type PreviewKit } from './preview-kit.js';

const DAY_MS = 86_400_000;
const POST = 'https://x.com/someone/status/1';

/** A forward proxy that answers every address itself and opens no tunnel. */
interface TestProxy {
  url: string;
  /** Method and target of each request. */
  asked: string[];
  close(): void;
}

async function startProxy(): Promise<TestProxy> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    page(tagged({ 'og:title': 'By the proxy' }))(request, response);
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Each rule holds by the setting and not by its default; other settings show it in tests of their own. */
describe('a setting reaches what reads it:', () => {
  let kit: PreviewKit;
  let proxy: TestProxy;

  beforeAll(async () => {
    proxy = await startProxy();
    kit = await startPreviewKit({
      settings: {
        jobs: { instance: 'here' },
        media_instance_running_background_jobs: 'elsewhere',
        dynamic_thumbnails: true,
        url_preview_url_blacklist: [{ netloc: 'refused.test' }],
        previews: { memory_cache_size: '1M' },
      },
    });
    kit.serve('/shot.png', page(await sampleImage(900, 700).png().toBuffer(), { type: 'image/png' }));
  });
  afterAll(async () => {
    await kit.remove();
    proxy.close();
  });
  beforeEach(() => {
    proxy.asked.length = 0;
  });

  const behindProxy = (oembed: Record<string, unknown>) =>
    kit.restart({ oembed, previews: { proxy_url: proxy.url, proxy_filters_addresses: true } });

  it('refused addresses are kept for 30 days', async () => {
    const { clock, context } = kit.service;
    expect((await kit.preview('http://refused.test/')).status).toBe(403);
    await context.services.previews.hits.flush();
    const { blacklistHit } = context.parts.database.client;
    expect(await blacklistHit.count()).toBe(1);
    clock.advance(30 * DAY_MS + 1);
    await (
      await context.services.jobs.registry.runNow('prune_refused_urls', 'alice')
    ).finished;
    expect(await blacklistHit.count()).toBe(0);
  });

  it('media_instance_running_background_jobs and jobs.instance', async () => {
    await kit.restart();
    const run = () => kit.service.context.services.jobs.registry.runNow('media_sweep', 'alice');
    await expect(run()).rejects.toMatchObject({ reason: 'designated_elsewhere' });

    await kit.restart({ jobs: { instance: 'elsewhere' } });
    expect(await (await run()).finished).toMatchObject({ outcome: 'ok' });
  });

  it('proxy_url, and the default oEmbed providers', async () => {
    await behindProxy({});
    expect((await kit.preview('http://far.test/page')).body['og:title']).toBe('By the proxy');
    await kit.preview(POST);
    expect(proxy.asked).toEqual(['GET http://far.test/page', 'CONNECT publish.x.com:443']);
  });

  it('oembed.disable_default_providers', async () => {
    await behindProxy({ disable_default_providers: true });
    await kit.preview(POST);
    expect(proxy.asked[0]).toBe('CONNECT x.com:443');
  });
});
