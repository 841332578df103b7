import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Browser } from 'playwright-core';

import { SICKNESSES } from '../../demo/sicknesses.js';
import { startVidimus, temporaryFolder, type Running } from '../cli/vidimus.js';
import { FROM_PAGE, cookieOf } from '../rest/operators/admin-kit.js';
import { findChromium, launchChromium } from './support/chromium.js';
import { SIZES, Visitor } from './support/visitor.js';

const script = fileURLToPath(new URL('../../scripts/demo.mjs', import.meta.url));
/** Each sickness four times, and as many healthy ones. */
const OF_EACH = 4;
const SERVERS = 2 * OF_EACH * SICKNESSES.length;
const PREVIEWS = 2500;
const START_MS = 120_000;
/** What the sicknesses are told as. */
const CAUSES = [
  'ADDRESS_BLOCKED',
  'BAD_RESPONSE',
  'BAD_SIGNATURE',
  'CONNECT_FAILED',
  'DNS_FAILED',
  'REMOTE_ERROR',
  'TIMED_OUT',
  'TLS_FAILED',
  'TOO_LARGE',
];

/** Pages, and texts of what was seeded. */
const LOOKS: readonly { path: string; shows: readonly (string | RegExp)[] }[] = [
  { path: '/', shows: [/^\d+ problems$/, /[1-9]\d* of [1-9]\d* key fetches failed/] },
  { path: '/keys', shows: [/^4 servers$/, /: certificate expired$/, `1–25 of ${SERVERS}`] },
  { path: '/keys?failing=true', shows: [/^1–25 of \d\d/, /failed 1×|certificate|no DNS/i] },
  { path: '/keys?cause=CERTIFICATE_EXPIRED', shows: [/^1–4 of 4$/, 'certificate expired'] },
  { path: '/previews', shows: [/^1–25 of 2,5\d\d$/, 'Bees return to the meadow'] },
  { path: '/previews?tab=refused', shows: ['401', '503'] },
  { path: '/previews?tab=media', shows: [/\.jpg$/, /site-\d+\.example/] },
  { path: '/keys?tab=events', shows: ['key replaced', 'server first seen'] },
  { path: '/blocking?tab=hits', shows: ['10.0.0.7', /tracker\.example/] },
];

const LISTS = `{
  servers(first: 100) { totalCount nodes { lastFetch { errorCode } } }
  healthy: servers(filter: { failing: false }) { totalCount }
  replaced: servers(filter: { needsLook: true }) { totalCount }
  previews(first: 100) { totalCount nodes { title } }
  blockHits(first: 10) { nodes { url } }
  previewRefusals { errcode }
}`;

interface Total {
  totalCount: number;
}

interface Lists {
  servers: Total & { nodes: { lastFetch: { errorCode: string | null } | null }[] };
  healthy: Total;
  replaced: Total;
  previews: Total & { nodes: { title: string | null }[] };
  blockHits: { nodes: unknown[] };
  previewRefusals: unknown[];
}

/** Address of the pages and code, once they are printed. */
function invitation(demo: Running): Promise<[address: string, code: string]> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const [, address, code] = /(http:\S+)\/admin\/sign-in#code=(\S+)/.exec(demo.stdout()) ?? [];
      if (address !== undefined && code !== undefined) resolve([address, code]);
    };
    demo.child.stdout?.on('data', look);
    void demo.finished.then(() => reject(new Error(demo.stderr())));
  });
}

describe('npm run demo', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let demo: Running;
  let lists: Lists;
  let address: string;
  let cookie: string;

  beforeAll(async () => {
    folder = await temporaryFolder();
    const numbers = ['--servers', String(SERVERS), '--previews', String(PREVIEWS)];
    demo = startVidimus(numbers, { cwd: folder.path, env: { TMPDIR: folder.path }, script });
    let code: string;
    [address, code] = await invitation(demo);
    const post = (path: string, body: object, headers: Record<string, string>) =>
      fetch(`${address}/admin/${path}`, {
        method: 'POST',
        headers: { ...FROM_PAGE, ...headers },
        body: JSON.stringify(body),
      });
    cookie = cookieOf(await post('session', { code }, { origin: address }));
    const answer = await post('api/graphql', { query: LISTS }, { cookie });
    const { data, errors } = (await answer.json()) as { data: Lists; errors?: unknown };
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    lists = data;
  }, START_MS);

  afterAll(async () => {
    demo?.child.kill('SIGKILL');
    await demo?.finished;
    await folder?.remove();
  });

  it('lists servers of every sickness, replaced keys that need a look, and healthy ones', () => {
    const { servers, healthy, replaced } = lists;
    const causes = servers.nodes.map(({ lastFetch }) => lastFetch?.errorCode);
    expect(servers.totalCount).toBe(SERVERS);
    expect(causes).toEqual(expect.arrayContaining(CAUSES));
    expect(healthy.totalCount).toBeGreaterThanOrEqual(OF_EACH * SICKNESSES.length);
    expect(replaced.totalCount).toBe(OF_EACH);
  });

  it('lists previews, some made by asking for them, and what was refused', () => {
    expect(lists.previews.totalCount).toBeGreaterThan(PREVIEWS);
    expect(lists.previews.nodes.map(({ title }) => title)).toContain('Bees return to the meadow');
    expect(lists.blockHits.nodes.length).toBeGreaterThan(2);
    expect(lists.previewRefusals).not.toEqual([]);
  });

  describe.skipIf(findChromium() === null)('in a browser', () => {
    let browser: Browser;
    let visitor: Visitor;
    beforeAll(async () => {
      browser = await launchChromium();
      visitor = await Visitor.openAt(browser, `${address}/admin`);
      const [name = '', value = ''] = cookie.split('=', 2);
      await visitor.context.addCookies([{ name, value, url: address }]);
    });
    afterAll(() => browser?.close());

    it.each(LOOKS)(
      '$path shows what was seeded, fits both sizes and is accessible',
      async ({ path, shows }) => {
        const { page } = visitor;
        await page.setViewportSize(SIZES.wide);
        await visitor.goto(path);
        for (const words of shows)
          await page.getByRole('main').getByText(words).filter({ visible: true }).first().waitFor();
        for (const size of ['wide', 'phone'] as const) {
          await visitor.resize(size);
          expect({ size, violations: await visitor.violations() }).toEqual({ size, violations: [] });
          expect(await visitor.overflow()).toBeLessThanOrEqual(0);
        }
        expect(visitor.repeatedFailures).toEqual([]);
      },
    );

    it('the second page of servers shows others, and its range only with them; two clicks lead to it once', async () => {
      const { page } = visitor;
      await page.setViewportSize(SIZES.wide);
      await visitor.goto('/keys');
      const first = page.getByRole('main').getByRole('row').nth(1);
      const name = await first.getByRole('link').first().textContent();
      let letGo = (): void => {};
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await page.route('**/graphql', (route) => held.then(() => route.continue()));
      const next = page.getByRole('button', { name: 'Next' });
      await next.click();
      await page.getByText('Loading…', { exact: true }).waitFor();
      await next.click();
      expect(await first.getByRole('link').first().textContent()).toBe(name);
      letGo();
      await page.getByText(`26–50 of ${SERVERS}`).waitFor();
      expect(await first.getByRole('link').first().textContent()).not.toBe(name);
      await page.unroute('**/graphql');
    });
  });

  it('ends with a signal, and leaves nothing', async () => {
    demo.child.kill('SIGINT');
    expect(await demo.finished).toMatchObject({ code: 0, signal: null });
    expect(await readdir(folder.path)).toEqual([]);
  });
});
