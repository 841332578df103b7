import { describe, expect, it } from 'vitest';
import sharp from 'sharp';

import { createToken, preview } from '../../../../support/clients/preview-client.js';
import { page } from '../../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from '../preview-kit.js';
import { setUp } from '../../../../support/set-up.js';

const HOUR_MS = 3_600_000;

const kit = setUp(startPreviewKit);

describe('the memory cache (SPEC §4.7.2)', () => {
  it('answers for exactly one hour', async () => {
    // Expired at once by its cache age, so that the store never answers.
    kit.serve(
      '/hour-oembed',
      page('{"version":"1.0","type":"link","title":"H","cache_age":0}', { type: 'application/json' }),
    );
    const link = '<link rel="alternate" type="application/json+oembed" href="/hour-oembed">';
    const url = kit.serve('/hour', `<head>${link}</head>`);
    await kit.preview(url);
    kit.service.clock.advance(HOUR_MS - 1);
    await kit.preview(url);
    expect(kit.hits('/hour').filter((path) => path === '/hour').length).toBe(1);
    kit.service.clock.advance(1);
    await kit.preview(url);
    expect(kit.hits('/hour').filter((path) => path === '/hour').length).toBe(2);
  });

  it('a failure is served again for an hour, then the site is asked anew', async () => {
    const url = kit.serve('/repaired', page('x', { status: 404 }));
    expect((await kit.preview(url)).status).toBe(502);
    kit.serve('/repaired', tagged({ 'og:title': 'Repaired' }));
    kit.service.clock.advance(HOUR_MS - 1);
    const again = await kit.preview(url);
    expect([again.status, again.body]).toEqual([502, { errcode: 'M_UNKNOWN', error: 'Got error 404' }]);
    expect(kit.hits('/repaired').length).toBe(1);
    kit.service.clock.advance(1);
    expect((await kit.preview(url)).body['og:title']).toBe('Repaired');
  });

  it('200 clients at once, of many users, cause one page and one image request', async () => {
    const image = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'blue' } })
      .png()
      .toBuffer();
    kit.serve('/crowd.png', page(image, { type: 'image/png' }));
    const url = kit.serve('/crowd', tagged({ 'og:title': 'Crowd', 'og:image': '/crowd.png' }));
    const users = ['@a:x', '@b:x', '@c:x', '@d:x'];
    const tokens = await Promise.all(users.map((user) => createToken(kit.service, user)));
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_v, index) =>
        preview(kit.service, tokens[index % tokens.length]!, url, index % 3 === 0 ? index : undefined),
      ),
    );
    expect(kit.hits('/crowd')).toEqual(['/crowd', '/crowd.png']);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.body).toMatchObject({ 'og:title': 'Crowd', 'og:image:width': 64 });
  });
});

describe('too many downloads at once', () => {
  it('is 503 with Retry-After, and not remembered', async () => {
    const busy = await startPreviewKit({
      settings: { previews: { max_concurrent: 1, max_queued: 0 } },
    });
    try {
      let release = () => {};
      const started = new Promise<void>((resolve) => {
        busy.serve('/first', (request, response) => {
          resolve();
          release = () => page(tagged({ 'og:title': 'First' }))(request, response);
        });
      });
      busy.serve('/second', tagged({ 'og:title': 'Second' }));
      const first = busy.preview('/first');
      await started;
      const refused = await busy.preview('/second');
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(busy.service.logs).toContainEqual(expect.objectContaining({ level: 'warn', reason: 'busy' }));
      release();
      expect((await first).body['og:title']).toBe('First');
      expect((await busy.preview('/second')).body['og:title']).toBe('Second');
    } finally {
      await busy.remove();
    }
  });
});

describe('a stop while a preview is being made', () => {
  it('ends in time, and who waits gets an answer or a closed connection', async () => {
    const stopping = await startPreviewKit({ settings: { server: { drain_timeout: '200ms' } } });
    try {
      const started = new Promise<void>((resolve) => {
        stopping.serve('/never', () => resolve());
      });
      const waiting = stopping.preview('/never').then(
        ({ status }) => status,
        () => 'closed',
      );
      await started;
      const startMs = performance.now();
      await stopping.service.stop();
      expect(performance.now() - startMs).toBeLessThan(3000);
      expect([500, 503, 504, 'closed']).toContain(await waiting);
    } finally {
      await stopping.remove();
    }
  });
});
