import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import type { Browser } from 'playwright-core';

import { startVidimus, temporaryFolder, type Running } from '../cli/vidimus.js';
import { FROM_PAGE, cookieOf } from '../rest/operators/admin-kit.js';
import { findChromium, launchChromium } from './support/chromium.js';
import { SIZES, Visitor } from './support/visitor.js';

const script = fileURLToPath(new URL('../../scripts/demo.mjs', import.meta.url));
const SERVERS = 40;
const START_MS = 120_000;

const LISTS = `{
  servers(first: 100) { totalCount }
  failing: servers(first: 100, filter: { failing: true }) { totalCount nodes { failureCause } }
  replaced: servers(filter: { needsLook: true }) { totalCount }
  previews(first: 100) { totalCount nodes { title } }
  overview { health(fresh: true) { title state } }
}`;

interface Lists {
  servers: { totalCount: number };
  failing: { totalCount: number; nodes: { failureCause: string }[] };
  replaced: { totalCount: number };
  previews: { totalCount: number; nodes: { title: string | null }[] };
  overview: { health: { title: string; state: string }[] };
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
    demo = startVidimus(['--servers', String(SERVERS), '--variants', '1'], {
      cwd: folder.path,
      env: { TMPDIR: folder.path },
      script,
    });
    let code: string;
    [address, code] = await invitation(demo);
    const post = (path: string, body: object, headers: Record<string, string>) =>
      fetch(`${address}/admin/${path}`, {
        method: 'POST',
        headers: { ...FROM_PAGE, ...headers },
        body: JSON.stringify(body),
      });
    cookie = cookieOf(await post('session', { code }, { origin: address }));
    // It fills while one looks.
    await vi.waitUntil(() => demo.stderr().includes('all requests were sent'), START_MS);
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

  it('has one alarm and one expired certificate to discover, and nothing else is wrong', () => {
    const { servers, failing, replaced, previews, overview } = lists;
    expect(servers.totalCount).toBe(SERVERS);
    expect(failing.nodes).toEqual([{ failureCause: 'CERTIFICATE_EXPIRED' }]);
    expect(replaced.totalCount).toBe(1);
    expect(previews.nodes.map(({ title }) => title)).toContain('Bees return to the meadow');
    const failed = overview.health.filter(({ state }) => state === 'FAILED');
    expect(failed.map(({ title }) => title)).toEqual(['Alarms']);
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

    it('says on its first screen what is wrong and what to do, and how it fares in numbers', async () => {
      const { page } = visitor;
      await visitor.goto('/');
      await page.getByRole('heading', { name: '1 problem' }).waitFor();
      const problem = page.getByRole('group', { name: 'Alarms' });
      expect(await problem.textContent()).toMatch(/changed under the same ID.*acknowledge the alarm/);
      const totals = page.getByRole('list', { name: 'Totals' });
      expect(await totals.textContent()).toMatch(/Servers failing1.*Keys from cache[1-9]/);
      expect(await visitor.violations()).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(800);
      await visitor.resize('phone');
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThanOrEqual(2 * 844);
      expect(visitor.repeatedFailures).toEqual([]);
    });

    it('the second page of servers shows others, and its range only with them; two clicks lead to it once', async () => {
      const { page } = visitor;
      await page.setViewportSize(SIZES.wide);
      await visitor.goto('/keys');
      const first = page.getByRole('table', { name: 'Servers with stored keys' }).getByRole('row').nth(1);
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
      await page.getByText(`26–${SERVERS} of ${SERVERS}`).waitFor();
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
