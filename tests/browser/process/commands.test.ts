import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';

import { describe, expect, it } from 'vitest';

import { writeConfig } from '../../cli/vidimus.js';
import { listenOnFreshPort } from '../../support/fresh-port.js';
import { findChromium } from '../support/chromium.js';
import { enterCode } from '../support/enter-code.js';
import { SIZES } from '../support/visitor.js';
import { ALL_RESOURCES, invitation, setProcessStage } from './ui-of-process.js';

describe.skipIf(findChromium() === null)('commands on the pages', () => {
  const stage = setProcessStage();

  it('work as they are shown, from another folder, for the service as it was started', async () => {
    // Commands find the server by the port of its configuration.
    const taken = createServer();
    const port = await listenOnFreshPort(taken, '127.0.0.1');
    await new Promise((resolve) => taken.close(resolve));
    const [listener] = ALL_RESOURCES.listeners;
    await writeConfig(stage.folder, { listeners: [{ ...listener, port }] });
    const { base, code } = await invitation(stage.start(['serve', '-c', 'config.yaml']));
    const visitor = await stage.visit(base);
    const { page } = visitor;
    await visitor.goto('/');
    await enterCode(page, code);
    const run = (command: string | null) =>
      execFileSync('/bin/sh', ['-c', command ?? ''], { cwd: '/', encoding: 'utf8', stdio: 'pipe' });

    const steps = page.getByRole('region', { name: 'First steps' });
    const commandOf = (step: string) => steps.getByLabel(`command: ${step}`, { exact: true }).textContent();
    expect(run(await commandOf('Back up the signing key'))).toContain(`${stage.folder}/data/signing.key`);
    expect(run(await commandOf('Let peers and clients reach this server'))).toContain('proxy_pass');
    expect(run(await commandOf('Let clients use it'))).toMatch(/\S{20}/);
  });

  it('are not needed to see what an edited file would change, and to have it applied', async () => {
    const write = (settings: object) => writeConfig(stage.folder, { ...ALL_RESOURCES, ...settings });
    await write({ max_spider_size: '5M', url_preview_url_blacklist: [{ hostname: 'a.example' }] });
    const { base, code } = await invitation(stage.start(['serve', '-c', 'config.yaml']));
    const visitor = await stage.visit(base);
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
      'url_preview_url_blacklist− {"hostname":"a.example"}+ {"hostname":"b.example"}0 as before',
      'max_spider_size5M → 6Mwaits for a restart',
    ]);
    expect(await visitor.violations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('alert').filter({ hasText: 'Reloaded; the rest waits for a restart' }).waitFor();
    await visitor.goto('/blocking');
    await page.getByRole('table', { name: 'Rules' }).getByText('b.example').waitFor();
  });

  it('fit a phone, long as they are', async () => {
    await writeConfig(stage.folder, ALL_RESOURCES);
    const { base, code } = await invitation(stage.start(['serve', '-c', 'config.yaml']));
    const visitor = await stage.visit(base);
    await visitor.page.setViewportSize(SIZES.phone);
    await visitor.goto('/');
    await enterCode(visitor.page, code);
    for (const path of ['/', '/our-keys', '/access']) {
      await visitor.goto(path);
      await visitor.page.getByText(`--config ${stage.folder}/config.yaml`).first().waitFor();
      expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    }
  });
});
