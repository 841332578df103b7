import { afterAll, beforeAll, expect, it } from 'vitest';

import { createToken, preview } from '../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { setHeldTables } from './held-tables.js';

/** Default of previews.max_concurrent. */
const PLACES = 32;
const PAGES = 72;
const PAGE_BYTES = 4 * 1024 * 1024;
/** Default of previews.max_body_memory. */
const MEMORY_BYTES = 64 * 1024 * 1024;

const hostOf = (at: number): string => `host-${at}.example`;
const hosts = Object.fromEntries(Array.from({ length: PAGES }, (_, at) => [hostOf(at), ['127.0.0.1']]));
const store = setHeldTables({ dns: { hosts }, server: { drain_timeout: '0s' } });
let site: RemoteSite;

beforeAll(async () => {
  site = await startRemoteSite();
});
afterAll(() => site.close());

const metrics = async (): Promise<string> => (await fetch(`${store.service.url}/metrics`)).text();

it('no download begins, of those that wait either, while bodies that are not stored yet take all memory', async () => {
  const whole = page(`<title>There</title>${' '.repeat(PAGE_BYTES)}`);
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  site.pages.set('/page', (request, response) => void gate.then(() => whole(request, response)));
  const token = await createToken(store.service);
  const asked = Array.from({ length: PAGES }, (_, at) =>
    preview(store.service, token, site.url('/page', hostOf(at))),
  );
  const waiting = `vidimus_preview_work{work="download",state="waiting"} ${PAGES - PLACES}`;
  await expect.poll(metrics, { timeout: 20_000 }).toContain(waiting);
  await expect.poll(() => site.hits.length).toBe(PLACES);

  await store.hold('media');
  open();
  await expect
    .poll(metrics, { timeout: 20_000 })
    .toContain('vidimus_preview_work{work="download",state="running"} 0');

  const begun = site.hits.length;
  expect(begun).toBeLessThanOrEqual(PLACES + MEMORY_BYTES / PAGE_BYTES + 1);
  expect(await metrics()).toContain('vidimus_preview_bound_total{work="body",bound="total"} 1');

  await store.release();
  await expect.poll(() => site.hits.length, { timeout: 20_000 }).toBeGreaterThan(begun);
  await store.service.stop();
  await Promise.allSettled(asked);
}, 60_000);
