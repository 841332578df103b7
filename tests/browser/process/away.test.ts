import { createServer } from 'node:net';

import { describe, expect, it } from 'vitest';

import { writeConfig } from '../../cli/vidimus.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { findChromium } from '../support/chromium.js';
import { enterCode } from '../support/enter-code.js';
import { SIZES } from '../support/visitor.js';
import { invitation, setProcessStage } from './ui-of-process.js';

/** A port that the same service gets at each of its starts. */
async function keptPort(): Promise<number> {
  const server = createServer();
  const port = await listenOnFreshPort(server, '127.0.0.1');
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(findChromium() === null)('the pages of a service that was killed', () => {
  const stage = setProcessStage();

  it('say how old they are, keep what is shown, and heal without a reload when it is back', async () => {
    const resources = ['keys', 'previews', 'media', 'health', 'admin'];
    await writeConfig(stage.folder, { listeners: [{ port: await keptPort(), resources }] });
    const start = () => stage.start(['serve', '-c', 'config.yaml']);
    const program = start();
    const { base, code } = await invitation(program);
    const visitor = await stage.visit(base);
    const { page } = visitor;
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await visitor.goto('/');
    await enterCode(page, code);
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    expect(await page.getByText(/does not answer/).count()).toBe(0);
    program.child.kill('SIGKILL');
    await program.finished;

    const main = page.getByRole('main');
    const filter = () =>
      page.evaluate<string>("getComputedStyle(document.querySelector('main > :last-child')).filter");
    const away = page.getByRole('status').filter({
      hasText: /The server does not answer. Last answer [\d-]+ \d\d:\d\d:\d\d UTC, trying again./,
    });
    await away.waitFor();
    await page.getByRole('button', { name: 'Live refresh: No answer' }).waitFor();
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
    await away.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Live refresh: Every 5 s' }).waitFor();
    expect(await main.getAttribute('data-away')).toBe(null);
    await expect.poll(filter).toBe('none');
    expect(loads).toBe(1);
    visitor.repeatedFailures.length = 0;
  });
});
