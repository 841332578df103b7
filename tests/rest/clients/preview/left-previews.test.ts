import { beforeAll, describe, expect, it } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const kit = setUp(() => startPreviewKit({}));
beforeAll(async () => {
  kit.serve('/slow', () => {});
});

const left = async (): Promise<string> => (await fetch(`${kit.service.url}/metrics`)).text();

describe('a preview', () => {
  it('ends when all who asked have hung up, and gives its place back', { timeout: 15_000 }, async () => {
    const url = `${kit.service.url}/_svc/media/v3/preview_url?url=${encodeURIComponent(kit.site.url('/slow'))}`;
    const headers = { Authorization: `Bearer ${kit.token}` };
    const first = new AbortController();
    const second = new AbortController();
    const asked = [first, second].map(({ signal }) => fetch(url, { headers, signal }).catch(() => null));
    await expect.poll(() => kit.site.connections.open).toBe(1);

    first.abort();
    await expect.poll(left).toContain('code="499"} 1');
    expect(kit.site.connections.open).toBe(1);
    second.abort();
    await expect.poll(() => kit.site.connections.open).toBe(0);
    await expect.poll(left).toContain('vidimus_preview_requests_total{result="left"} 1');
    expect(await left()).toContain('vidimus_preview_work{work="download",state="running"} 0');
    await Promise.all(asked);

    kit.serve('/slow', page('<title>Quick</title>'));
    const again = await fetch(url, { headers });
    expect(await again.json()).toMatchObject({ 'og:title': 'Quick' });
  });

  it('that ended while its image was loading is not remembered without it', { timeout: 15_000 }, async () => {
    const target = kit.serve('/half', tagged({ 'og:title': 'T', 'og:image': '/late.png' }));
    kit.serve('/late.png', () => {});
    const url = `${kit.service.url}/_svc/media/v3/preview_url?url=${encodeURIComponent(target)}`;
    const headers = { Authorization: `Bearer ${kit.token}` };
    const gone = new AbortController();
    const asked = fetch(url, { headers, signal: gone.signal }).catch(() => null);
    await expect.poll(() => kit.hits('/late.png')).toHaveLength(1);
    gone.abort();
    await asked;
    await expect.poll(left).toContain('vidimus_preview_requests_total{result="left"} 2');
    await expect.poll(left).toContain('vidimus_preview_work{work="download",state="running"} 0');

    kit.serve('/late.png', page(await sampleImage(100, 50).png().toBuffer(), { type: 'image/png' }));
    const again = await fetch(url, { headers });
    expect(await again.json()).toMatchObject({ 'og:title': 'T', 'og:image:width': 100 });
  });
});
