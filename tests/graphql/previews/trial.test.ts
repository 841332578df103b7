import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { page, redirect } from '../../support/origins/remote-site.js';
import { sampleImage, tinyPng } from '../../core/preview/media/sample-images.js';
import { tagged } from '../../rest/clients/preview/preview-kit.js';
import { startPreviewAdminKit } from './preview-admin-kit.js';
import { setUp } from '../../support/set-up.js';

interface Step {
  name: string;
  title: string;
  status: string;
  durationMs: number;
  startedAtMs: number;
  message: string;
  advice: string | null;
  detail: Record<string, string | number> | null;
}
interface Trace {
  url: string;
  finalUrl: string | null;
  source: string | null;
  status: number;
  body: Record<string, unknown>;
  properties: { key: string; value: unknown; origin: string }[];
  droppedProperties: { key: string; value: unknown; origin: string }[];
  steps: Step[];
  durationMs: number;
  downloadedBytes: number | null;
  image: { mediaId: string; viewPath: string | null; thumbnails: { width: number }[] } | null;
  stored: { url: string } | null;
}
interface Answer {
  tryPreview: { userErrors: { code: string; field: string[] }[]; trace: Trace | null };
}

const TRY = `mutation Try($ignoreCaches: Boolean! = false, $url: String!) { tryPreview(ignoreCaches: $ignoreCaches, url: $url) {
  userErrors { code message field }
  trace { url finalUrl source status body durationMs downloadedBytes
    properties { key value origin } droppedProperties { key value origin }
    steps { name title status startedAtMs durationMs message advice detail }
    image { mediaId viewPath thumbnails { width viewPath } } stored { url } } } }`;

const STAGES = [
  'rules',
  'memory',
  'stored',
  'dns',
  'connect',
  'download',
  'decode',
  'parse',
  'picture',
  'thumbnails',
  'prune',
  'store',
];

/** A key of 60 characters is not in answers (SPEC §4.7.12). */
const LONG = `og:locale:${'k'.repeat(50)}`;

describe('trying a preview', () => {
  const kit = setUp(startPreviewAdminKit);

  beforeAll(async () => {
    kit.serve('/p.jpg', page(await sampleImage(640, 400).jpeg().toBuffer(), { type: 'image/jpeg' }));
  });
  // A session may try ten a minute.
  beforeEach(() => kit.signInAnew());

  const run = async (input: Record<string, unknown>) =>
    (await kit.operator.data<Answer>(TRY, input)).tryPreview;
  const trace = async (url: string, input: Record<string, unknown> = {}) =>
    (await run({ url, ...input })).trace!;
  const statusOf = ({ steps }: Trace) => Object.fromEntries(steps.map(({ name, status }) => [name, status]));
  const failure = ({ steps }: Trace) => steps.find(({ status }) => status === 'FAILED')!;

  it('a refresh that leads nowhere is no failure', async () => {
    const tried = await trace(
      kit.serve('/moved', '<title>Moved</title><meta http-equiv=refresh content="0;url=/gone">'),
    );

    expect(tried.body['og:title']).toBe('Moved');
    expect(statusOf(tried)).toMatchObject({ download: 'WARNING', redirects: 'WARNING' });
    expect(failure(tried)).toBeUndefined();
  });

  it.each([
    ['too large', tinyPng(10_000, 6000), 'more pixels than max_image_pixels', 'Raise max_image_pixels'],
    ['broken', tinyPng(64, 64).subarray(0, 20), 'cannot be decoded', 'whole JPEG'],
  ])('tells an image that is %s from others', async (name, bytes, why, remedy) => {
    const image = kit.serve(`/${name.replace(' ', '-')}.png`, page(bytes, { type: 'image/png' }));
    const { steps } = await trace(
      kit.serve(`/of-${name.length}`, tagged({ 'og:title': 'T', 'og:image': image })),
    );

    expect(steps.find((step) => step.name === 'thumbnails')).toMatchObject({
      status: 'WARNING',
      message: expect.stringContaining(why),
      advice: expect.stringContaining(remedy),
    });
  });

  it('lists every stage in order with times, and gives the body clients get (check 7)', async () => {
    const url = kit.serve(
      '/full',
      tagged({ 'og:title': 'T', 'og:description': 'D', 'og:image': '/p.jpg', [LONG]: 'y' }),
    );

    const tried = await trace(url);
    const client = await kit.preview(url);

    expect(tried.steps.map(({ name }) => name)).toEqual(STAGES);
    expect(statusOf(tried)).toMatchObject({
      rules: 'OK',
      dns: 'OK',
      connect: 'OK',
      download: 'OK',
      decode: 'OK',
      parse: 'OK',
      picture: 'OK',
      thumbnails: 'OK',
      prune: 'WARNING',
      store: 'OK',
    });
    for (const step of tried.steps) {
      expect(step.title).not.toBe('');
      expect(step.message).not.toBe('');
      expect(step.durationMs).toBeGreaterThanOrEqual(0);
      expect(step.startedAtMs).toBeLessThanOrEqual(tried.durationMs);
    }
    expect(tried).toMatchObject({ status: 200, source: 'HTML', finalUrl: url, stored: { url } });
    expect(JSON.stringify(tried.body)).toBe(client.text);
    expect(kit.hits('/full')).toHaveLength(1);
    expect(tried.droppedProperties).toEqual([{ key: LONG, value: 'y', origin: 'page' }]);
    expect(tried.properties.find(({ key }) => key === 'og:title')).toMatchObject({
      value: 'T',
      origin: 'page',
    });
    expect(tried.properties.find(({ key }) => key === 'og:image:width')).toMatchObject({
      value: 640,
      origin: 'made',
    });
    const imagePath = `/admin/api/media/${tried.image!.mediaId}`;
    expect(tried.image).toMatchObject({ viewPath: imagePath });
    const cookie = kit.viewer.headers['cookie'] ?? '';
    expect((await fetch(kit.service.url + imagePath, { headers: { cookie } })).status).toBe(200);
  });

  it('shows a redirect to a denied address at its stage, and keeps the hit (check 9)', async () => {
    const url = kit.serve('/away', redirect('http://inside.test/secret'));

    const tried = await trace(url);

    expect(tried.status).toBe(502);
    expect(tried.body).toMatchObject({ errcode: 'M_UNKNOWN' });
    expect(tried.steps.filter(({ name }) => name === 'redirects')).toMatchObject([
      { status: 'OK', detail: { status: 302, to: 'http://inside.test/secret' } },
    ]);
    expect(failure(tried)).toMatchObject({ name: 'address', detail: { address: '10.1.2.3' } });
    expect(failure(tried).advice).toContain('url_preview_ip_range_whitelist');
    expect(statusOf(tried)).not.toHaveProperty('download');
    await kit.service.context.services.previews.hits.flush();
    const hits = await kit.viewer.data<{ blockHits: { nodes: unknown[] } }>(
      '{ blockHits(first: 1) { nodes { stage address url } } }',
    );
    expect(hits.blockHits.nodes).toEqual([
      { stage: 'REDIRECT', address: '10.1.2.3', url: 'http://inside.test/secret' },
    ]);
  });

  it('answers from what is kept unless asked not to', async () => {
    const url = kit.serve('/kept', tagged({ 'og:title': 'first' }));
    await kit.preview(url);
    kit.serve('/kept', tagged({ 'og:title': 'second' }));

    const remembered = await trace(url);
    expect(remembered.body).toMatchObject({ 'og:title': 'first' });
    expect(statusOf(remembered)).toEqual({ rules: 'OK', memory: 'OK' });
    expect(remembered.source).toBeNull();

    kit.service.context.services.previews.cache.clear();
    const stored = await trace(url);
    expect(stored.body).toMatchObject({ 'og:title': 'first' });
    expect(stored.steps.find(({ name }) => name === 'stored')?.message).toContain('valid until');

    const anew = await trace(url, { ignoreCaches: true });
    expect(anew.body).toMatchObject({ 'og:title': 'second' });
    expect((await kit.preview(url)).body['og:title']).toBe('second');
    // A client states the time of the message, which may be long past.
    kit.service.context.services.previews.cache.clear();
    expect((await kit.preview(url, 1)).body['og:title']).toBe('second');
  });

  it('refuses an empty URL', async () => {
    expect((await run({ url: ' ' })).userErrors).toMatchObject([{ code: 'INVALID', field: ['url'] }]);
  });
});
