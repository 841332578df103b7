import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { MINUTE_MS } from '../../src/core/base/clock.js';
import { startVidimus, temporaryFolder, writeConfig, type Running } from '../cli/vidimus.js';
import { listenOnFreshPort } from '../support/fresh-port.js';
import { findChromium, launchChromium } from './support/chromium.js';
import { enterCode } from './support/enter-code.js';
import { SIZES, Visitor } from './support/visitor.js';
import { setUpEach } from '../support/set-up.js';

const RESOURCES = ['keys', 'previews', 'media', 'health', 'admin'];

/** A port that the same service gets at each of its starts. */
async function keptPort(): Promise<number> {
  const server = createServer();
  const port = await listenOnFreshPort(server, '127.0.0.1');
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Address of the pages and code that a first start prints. Rejects when the program ends without. */
function invitation(program: Running): Promise<{ base: string; code: string }> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const text = program.stderr();
      const [, base, code] = /^.*(http:\S+\/admin)\/ .*sign in with the code (\S{14}).*$/m.exec(text) ?? [];
      if (base !== undefined && code !== undefined) resolve({ base, code });
    };
    program.child.stderr?.on('data', look);
    void program.finished.then(({ stdout, stderr }) => reject(new Error(stdout + stderr)));
    look();
  });
}

describe.skipIf(findChromium() === null)('the pages of a service in a process of its own', () => {
  let browser: Browser;
  const folder = setUpEach(temporaryFolder);
  let visitor: Visitor | undefined;
  const programs: Running[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    await mkdir(join(folder.path, 'data'));
  });
  afterEach(async () => {
    await visitor?.close();
    for (const { child, finished } of programs.splice(0)) {
      child.kill('SIGKILL');
      await finished;
    }
  });
  const start = () => {
    const program = startVidimus(['serve', '-c', 'config.yaml'], { cwd: folder.path });
    programs.push(program);
    return program;
  };

  it('say how old they are when it hangs or was killed, keep what is shown, and heal without a reload when it is back', async () => {
    await writeConfig(folder.path, { listeners: [{ port: await keptPort(), resources: RESOURCES }] });
    const program = start();
    const { base, code } = await invitation(program);
    visitor = await Visitor.openAt(browser, base);
    const { page } = visitor;
    await page.clock.install();
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await visitor.goto('/');
    await enterCode(page, code);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    expect(await page.getByText(/does not answer/).count()).toBe(0);
    const noAnswer = page.getByRole('button', { name: 'Live refresh: No answer' });
    const isFine = page.getByRole('button', { name: 'Live refresh: Every 5 s' });
    // A process that hangs: a poll begins within 30 s and may wait for 5.
    program.child.kill('SIGSTOP');
    await page.clock.runFor(35_000);
    await noAnswer.waitFor();
    program.child.kill('SIGCONT');
    await isFine.waitFor();

    program.child.kill('SIGKILL');
    await program.finished;
    // All that is in view asks again.
    await page.clock.runFor(MINUTE_MS);

    const main = page.getByRole('main');
    const filter = () =>
      page.evaluate<string>("getComputedStyle(document.querySelector('main > :last-child')).filter");
    const away = page.getByRole('status').filter({
      hasText: /The server does not answer. Last answer [\d-]+ \d\d:\d\d:\d\d UTC, trying again./,
    });
    await away.waitFor();
    await noAnswer.waitFor();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    expect(await main.getAttribute('data-away')).toBe('true');
    await expect.poll(filter).toBe('grayscale(1)');
    for (const size of [SIZES.phone, SIZES.wide]) {
      await page.setViewportSize(size);
      expect(await visitor.violations()).toEqual([]);
      expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    }

    const again = start();
    await again.log('ready');
    await page.clock.runFor(MINUTE_MS);
    await away.waitFor({ state: 'detached' });
    await isFine.waitFor();
    expect(await main.getAttribute('data-away')).toBe(null);
    await expect.poll(filter).toBe('none');
    expect(loads).toBe(1);
  });

  it('show what an edited file would change, and apply it', async () => {
    const write = (settings: object) =>
      writeConfig(folder.path, { listeners: [{ port: 0, resources: RESOURCES }], ...settings });
    await write({ max_spider_size: '5M', url_preview_url_blacklist: [{ hostname: 'a.example' }] });
    const { base, code } = await invitation(start());
    visitor = await Visitor.openAt(browser, base);
    const { page } = visitor;
    await visitor.goto('/settings');
    await enterCode(page, code);
    const open = () => page.getByRole('button', { name: 'Check and reload…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Configuration on disk' });
    const close = async () => {
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
      await dialog.waitFor({ state: 'detached' });
    };

    await write({ max_spider_size: 'five' });
    await open();
    await dialog.getByText('The file cannot be used. The running values are still the old ones.').waitFor();
    await dialog.getByText(/max_spider_size/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Reload' }).isDisabled()).toBe(true);
    expect(await visitor.violations()).toEqual([]);
    await close();

    await write({ max_spider_size: '6M', url_preview_url_blacklist: [{ hostname: 'b.example' }] });
    await open();
    await dialog.getByText('2 settings differ').waitFor();
    const told = await dialog.getByRole('listitem').allTextContents();
    expect(told.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      'url_preview_url_blacklist − hostname: a.example+ hostname: b.example0 unchanged',
      'max_spider_size 5M→6Mwaits for a restart',
    ]);
    expect(await visitor.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').filter({ hasText: 'Reloaded; the rest waits for a restart' }).waitFor();
    await visitor.goto('/blocking');
    await page.getByRole('table', { name: 'Rules' }).getByText('b.example').waitFor();
    expect(visitor.repeatedFailures).toEqual([]);
  });
});
