import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

import sharp from 'sharp';
import { beforeAll, expect, it, vi } from 'vitest';

import { sampleImage } from '../../../core/preview/media/sample-images.js';
import { mediaPath } from '../../../support/clients/preview-client.js';
import { page } from '../../../support/origins/remote-site.js';
import { startPreviewKit, tagged } from '../preview/preview-kit.js';
import { PATIENCE_MS } from '../../../support/patience.js';
import { setUp } from '../../../support/set-up.js';

const CLIENTS = 40;

const kit = setUp(startPreviewKit);
let path: string;

beforeAll(async () => {
  kit.serve('/shot.png', page(await sampleImage(900, 700).png().toBuffer(), { type: 'image/png' }));
  const image = kit.url('/shot.png');
  const { body } = await kit.preview(kit.serve('/page', tagged({ 'og:image': image })));
  path = `/_svc/client/v1/media/download/${mediaPath(body['og:image'])}`;
});

/** Asks and resets the connection, so many turns of the event loop later. */
function leave(turns: number): void {
  const { hostname, port } = new URL(kit.service.url);
  const socket = connect(Number(port), hostname, () => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${kit.token}\r\n\r\n`);
    const wait = (left: number): void => {
      if (left === 0) socket.resetAndDestroy();
      else setImmediate(wait, left - 1);
    };
    wait(turns);
  });
  socket.on('error', () => {});
}

const downloads = async (): Promise<{ code: string; count: number }[]> => {
  const text = await (await fetch(`${kit.service.url}/metrics`)).text();
  const found = text.matchAll(/^vidimus_http_requests_total\{route="media_download".*code="(\d+)"\} (\d+)/gm);
  return [...found].map(([, code = '', count = '']) => ({ code, count: Number(count) }));
};

it('a client that leaves a download early is neither counted nor logged as a failure of ours', async () => {
  for (let turns = 0; turns < CLIENTS; turns += 1) leave(turns % 8);

  await vi.waitFor(async () => {
    expect((await downloads()).reduce((sum, { count }) => sum + count, 0)).toBe(CLIENTS);
  }, PATIENCE_MS);
  expect((await downloads()).filter(({ code }) => code.startsWith('5'))).toEqual([]);
  expect(kit.service.logs.filter(({ level }) => level === 'error')).toEqual([]);
});

it('a client that reads nothing of a large download is cut off after a minute', async () => {
  // Noise, so that it stays larger than what the kernel takes.
  const side = 1700;
  const noise = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
  kit.serve('/noise.png', page(await noise.png().toBuffer(), { type: 'image/png' }));
  const { body } = await kit.preview(kit.serve('/large', tagged({ 'og:image': kit.url('/noise.png') })));
  const target = `/_svc/client/v1/media/download/${mediaPath(body['og:image'])}`;
  const { hostname, port } = new URL(kit.service.url);
  const socket = connect(Number(port), hostname, () => {
    socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${kit.token}\r\n\r\n`);
  });
  socket.pause().on('error', () => {});
  const stalled = async (): Promise<boolean> => {
    kit.service.clock.advance(10_000);
    const text = await (await fetch(`${kit.service.url}/metrics`)).text();
    return text.includes('vidimus_client_bound_total{bound="stalled"} 1');
  };

  await expect.poll(stalled, { timeout: 30_000, interval: 1100 }).toBe(true);
  socket.destroy();
});
