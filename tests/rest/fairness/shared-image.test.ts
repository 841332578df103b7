import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { createToken, preview } from '../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { startTestService, type TestService } from '../../support/service.js';

const PAGES = 40;
/** All of them together are more than the default of previews.max_body_memory. */
const IMAGE_BYTES = 2 * 1024 * 1024;

const hostOf = (at: number): string => `host-${at}.example`;
const names = ['image.example', ...Array.from({ length: PAGES }, (_, at) => hostOf(at))];
let site: RemoteSite;
let service: TestService;

beforeAll(async () => {
  site = await startRemoteSite();
  const hosts = Object.fromEntries(names.map((name) => [name, ['127.0.0.1']]));
  service = await startTestService({ settings: { dns: { hosts } } });
});
afterAll(async () => {
  await site.close();
  await service.remove();
});

const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
const hitsOf = (path: string): number => site.hits.filter((hit) => hit.path === path).length;

it('an image that many pages of one user name is in memory once, and copied by turns', async () => {
  const whole = page(randomBytes(IMAGE_BYTES), { type: 'image/png' });
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  site.pages.set('/image', (request, response) => void gate.then(() => whole(request, response)));
  const image = site.url('/image', 'image.example');
  site.pages.set('/page', page(`<title>There</title><meta property="og:image" content="${image}">`));
  const token = await createToken(service);
  const asked = Promise.all(
    Array.from({ length: PAGES }, (_, at) => preview(service, token, site.url('/page', hostOf(at)))),
  );
  const { media } = service.context.parts.database.client;
  await expect.poll(() => media.count()).toBe(PAGES);
  await expect.poll(metrics).toContain('vidimus_preview_work{work="page",state="running"} 0');

  open();
  const answers = await asked;

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(hitsOf('/image')).toBe(1);
  expect(await metrics()).not.toContain('vidimus_preview_bound_total{work="body"');
  expect(await metrics()).toMatch(/vidimus_preview_bound_total\{work="file",bound="(?:asker|total)"\} \d/);
});
