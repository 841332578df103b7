import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { createToken, preview } from '../../support/clients/preview-client.js';
import { page, startRemoteSite, type RemoteSite } from '../../support/origins/remote-site.js';
import { testEngines } from '../../support/store/databases.js';
import { setHeldTables } from './held-tables.js';

/** Half of the default of previews.max_concurrent. */
const PLACES = 16;
const PAGES = 72;
const KIB = 1024;
/** A sixteenth of the default, and bodies accordingly: what takes all memory is there before the store is given up. */
const MEMORY_BYTES = 4 * 1024 * KIB;
const BODY_BYTES = 512 * KIB;

const hostOf = (at: number): string => `host-${at}.example`;
/** Where one more download waits until one of two has ended. */
const FULL_HOST = 'full.example';
const names = [FULL_HOST, ...Array.from({ length: PAGES }, (_, at) => hostOf(at))];
const hosts = Object.fromEntries(names.map((name) => [name, ['127.0.0.1']]));

describe.runIf(testEngines().includes('postgresql'))('while a slow store takes files', () => {
  const store = setHeldTables({
    dns: { hosts },
    previews: { max_body_memory: MEMORY_BYTES },
    server: { drain_timeout: '0s' },
  });
  let site: RemoteSite;
  let token: string;
  beforeAll(async () => {
    site = await startRemoteSite();
    token = await createToken(store.service);
    // Some seconds after the start it would be one more download.
    await store.service.context.services.stopProbes();
  });
  beforeEach(() => void site.hits.splice(0));
  afterEach(() => store.release());
  afterAll(() => site.close());

  /** From the registry: what is served waits three seconds for a store that is held, and that gives up after ten. */
  const metrics = async (): Promise<string> => {
    const { registry } = store.service.context.parts.metrics;
    const names = ['vidimus_preview_work', 'vidimus_preview_bound_total'];
    return (await Promise.all(names.map((name) => registry.getSingleMetricAsString(name)))).join('\n');
  };
  const hitsOf = (path: string): number => site.hits.filter((hit) => hit.path === path).length;
  const ask = (count: number, path: string) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, at) => preview(store.service, token, site.url(path, hostOf(at)))),
    );
  const askFull = (...paths: string[]) =>
    Promise.allSettled(paths.map((path) => preview(store.service, token, site.url(path, FULL_HOST))));
  /** What is asked for at the path is answered once the function returned is called. */
  const hold = (path: string, whole: ReturnType<typeof page>): (() => void) => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    site.pages.set(path, (request, response) => void gate.then(() => whole(request, response)));
    return open;
  };

  it('no download begins, of those that wait either, while bodies that are not read yet take all memory', async () => {
    const open = hold('/large', page(`<title>There</title>${' '.repeat(BODY_BYTES)}`));
    const lead = hold('/lead', (_request, response) => response.writeHead(302, { location: '/large' }).end());
    const led = askFull('/lead');
    await expect.poll(() => hitsOf('/lead')).toBe(1);
    const asked = ask(PAGES, '/large');
    const waiting = `vidimus_preview_work{work="download",state="waiting"} ${PAGES + 1 - PLACES}`;
    await expect.poll(metrics).toContain(waiting);
    await expect.poll(() => hitsOf('/large')).toBe(PLACES - 1);

    await store.hold('media');
    open();
    await expect.poll(metrics).toContain('vidimus_preview_work{work="download",state="running"} 1\n');

    const begun = hitsOf('/large');
    expect(begun).toBeLessThanOrEqual(PLACES + MEMORY_BYTES / BODY_BYTES + 1);
    expect(await metrics()).toContain('vidimus_preview_bound_total{work="body",bound="total"}');
    lead();
    await expect.poll(metrics).toContain('vidimus_preview_work{work="download",state="running"} 0\n');
    expect(hitsOf('/large')).toBe(begun);

    await store.release();
    await expect.poll(() => hitsOf('/large')).toBeGreaterThan(begun);
    await store.service.stop();
    await Promise.all([asked, led]);
  });
});
