import type { S3Client } from '../../../../src/core/net/object-storage/s3-client.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { loadMedia, mediaPath } from '../../../support/clients/preview-client.js';
import { page } from '../../../support/origins/remote-site.js';
import {
  SECRET,
  createClient,
  objectStoreMissing,
  startObjectStore,
  storedSizes,
  type ObjectStore,
} from '../../../support/s3/object-store.js';
import { startPreviewKit, tagged, type PreviewKit } from '../preview/preview-kit.js';

const missing = objectStoreMissing();

describe.skipIf(missing !== null)(`a service whose media is in object storage ${missing ?? ''}`, () => {
  let store: ObjectStore;
  let client: S3Client;
  let kit: PreviewKit;
  let picture: Buffer;

  beforeAll(async () => {
    store = await startObjectStore();
    client = createClient(store.url);
    const s3 = { prefix: 'vidimus/', ...(await store.makeBucket('media')) };
    kit = await startPreviewKit({ settings: { media: { storage: 's3', s3 } } });
    // Some seconds after the start it would be rows more.
    await kit.service.context.services.stopProbes();
    picture = await sampleImage(900, 700).png().toBuffer();
    kit.serve('/shot.png', page(picture, { type: 'image/png' }));
  });
  afterAll(async () => {
    await kit?.remove();
    client?.close();
    await store?.remove();
  });

  const previewOf = (path: string) =>
    kit.preview(kit.serve(path, tagged({ 'og:title': path, 'og:image': kit.url('/shot.png') })));
  const load = (
    contentUri: unknown,
    init: { method?: string; headers?: Record<string, string> } = {},
    tail = 'download',
    query = '',
  ) =>
    fetch(`${kit.service.url}/_svc/client/v1/media/${tail}/${mediaPath(contentUri)}${query}`, {
      ...init,
      headers: { Authorization: `Bearer ${kit.token}`, ...init.headers },
    });
  const keys = async (): Promise<string[]> => [...(await storedSizes(client)).keys()];
  const context = () => kit.service.context;
  const health = async (id: string) =>
    (await context().services.health.look()).find((line) => line.id === id);

  it('stores page, picture and thumbnails below its prefix, and serves them whole, in part and by condition', async () => {
    const { status, body } = await previewOf('/one');
    await context().services.previews.media.making.settle();
    const uri = body['og:image'];

    const whole = await loadMedia(kit.service, kit.token, uri);
    const part = await load(uri, { headers: { Range: 'bytes=5-9' } });
    const known = await load(uri, { headers: { 'If-None-Match': whole.headers.get('etag')! } });
    const head = await load(uri, { method: 'HEAD' });
    const thumbnail = await load(uri, {}, 'thumbnail', '?width=320&height=240');

    expect(status).toBe(200);
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(picture);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(picture.subarray(5, 10));
    expect([part.status, known.status, head.status, thumbnail.status]).toEqual([206, 304, 200, 200]);
    expect(head.headers.get('content-length')).toBe(String(picture.length));
    expect((await thumbnail.arrayBuffer()).byteLength).toBeGreaterThan(100);
    const others = new Set(['vidimus/health/probe']);
    const stored = (await keys()).filter((key) => !others.has(key));
    expect(stored.every((key) => key.startsWith('vidimus/url_cache'))).toBe(true);
    expect(stored.filter((key) => key.startsWith('vidimus/url_cache/'))).toHaveLength(2);
  });

  it('a silent store and one that is gone are 503 with Retry-After, lose no row, and end by themselves', async () => {
    const { body } = await previewOf('/two');
    await context().services.previews.media.making.settle();
    const rows = await context().parts.database.client.media.count();

    const refused = [];
    store.freeze();
    refused.push(
      ...(await Promise.all([load(body['og:image']), load(body['og:image'], { method: 'HEAD' })])),
    );
    store.thaw();
    await store.stop();
    refused.push(
      await load(body['og:image']),
      await load(body['og:image'], {}, 'thumbnail', '?width=320&height=240'),
    );
    const { jobs, previews } = context().services;
    expect(await jobs.runner.runDue(previews.collector)).toMatchObject({ outcome: 'failed' });
    const preview = await previewOf('/three');
    await store.start();

    for (const answer of refused)
      expect([answer.status, answer.headers.get('retry-after'), answer.headers.get('etag')]).toEqual([
        503,
        '10',
        null,
      ]);
    expect([preview.status, preview.body['errcode']]).toEqual([503, 'M_UNKNOWN']);
    expect(await context().parts.database.client.media.count()).toBe(rows);
    expect(await context().parts.database.client.media.count({ where: { missingSinceTs: null } })).toBe(rows);
    expect((await previewOf('/three')).status).toBe(200);
    expect((await load(body['og:image'])).status).toBe(200);
  });

  it('tells in health what was seen to work and when, counts requests, and never says the secret', async () => {
    const prove = () => context().services.health.probe();
    await prove();
    const proved = await health('media_storage');
    await store.stop();
    await prove();
    const away = await health('media_storage');
    await store.start();

    expect(proved).toMatchObject({
      state: 'ok',
      provedTs: kit.service.clock.now(),
    });
    expect(proved?.message).toMatch(/stores, reads, lists and deletes/);
    expect(away).toMatchObject({ state: 'failed' });
    const metrics = await (await fetch(`${kit.service.url}/metrics`)).text();
    expect(metrics).toMatch(/vidimus_media_store_requests_total\{operation="put",outcome="ok"\} \d/);
    expect(metrics).toMatch(/vidimus_media_store_requests_total\{operation="get",outcome="timeout"\} \d/);
    expect(metrics).toMatch(/vidimus_media_store_request_seconds_count\{operation="get"\} \d/);
    expect(JSON.stringify(kit.service.logs)).not.toMatch(new RegExp(`${SECRET}|Signature=`));
    expect(await keys()).not.toContain('vidimus/health/probe');
  });
});
