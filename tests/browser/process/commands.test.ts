import { execFileSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { writeConfig } from '../../cli/vidimus.js';
import { findChromium } from '../support/chromium.js';
import { enterCode } from '../support/enter-code.js';
import { SIZES } from '../support/visitor.js';
import { ALL_RESOURCES, invitation, setProcessStage } from './ui-of-process.js';

describe.skipIf(findChromium() === null)('commands on the pages', () => {
  const stage = setProcessStage();

  it('work as they are shown, from another folder, for the service as it was started', async () => {
    await writeConfig(stage.folder, ALL_RESOURCES);
    const { base, code } = await invitation(stage.start(['serve', '-c', 'config.yaml']));
    const visitor = await stage.visit(base);
    const { page } = visitor;
    await visitor.goto('/');
    await enterCode(page, code);
    const run = (command: string | null) =>
      execFileSync('/bin/sh', ['-c', command ?? ''], { cwd: '/', encoding: 'utf8', stdio: 'pipe' });

    const steps = page.getByRole('listitem').filter({ hasText: 'The signing key is backed up' });
    const backup = await steps.getByLabel('command', { exact: true }).textContent();
    expect(run(backup)).toContain(`${stage.folder}/data/signing.key`);

    const lines = page.getByRole('listitem').filter({ hasText: 'Clients get the images' });
    for (const [name, word] of [
      ['Caddy', 'caddy'],
      ['nginx', 'nginx'],
    ]) {
      await lines.getByText(name ?? '', { exact: true }).click();
      const shown = await lines.getByLabel(`lines for ${name}`, { exact: true }).textContent();
      const command = lines.getByText(`config proxy ${word}`);
      expect(run(await command.textContent())).toBe(`${shown}\n`);
    }
  });

  it('fit a phone, long as they are', async () => {
    await writeConfig(stage.folder, ALL_RESOURCES);
    const { base, code } = await invitation(stage.start(['serve', '-c', 'config.yaml']));
    const visitor = await stage.visit(base);
    await visitor.page.setViewportSize(SIZES.phone);
    await visitor.goto('/');
    await enterCode(visitor.page, code);
    for (const path of ['/', '/keys/own', '/access', '/api']) {
      await visitor.goto(path);
      await visitor.page.getByText(`--config ${stage.folder}/config.yaml`).first().waitFor();
      expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    }
  });
});
