import { describe, expect, it } from 'vitest';

import { DAY_MS } from '../../src/core/base/clock.js';
import { makeKeyRecord, makeTestKey } from '../support/origins/key-record-maker.js';
import { OWN_NAME } from '../support/service.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { LOOKS } from './support/visitor.js';

describe.skipIf(findChromium() === null)('the first page of a service that has done nothing yet', () => {
  const stage = setStage();

  it('shows each step with a line to paste on the first screen, fits and is accessible in every look', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await page.setViewportSize({ width: 1280, height: 800 });
    await visitor.goto('/');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('button', { name: 'Copy command: Make a preview' }).waitFor();
    expect(await steps.getByLabel(/^command: /).allTextContents()).toEqual([
      expect.stringMatching(/ preview https:\/\/example\.org\//),
      expect.stringMatching(/ config proxy nginx/),
      expect.stringMatching(/ key query /),
      expect.stringMatching(/ token create --user @me:/),
      expect.stringMatching(/ config show.* \| grep signing_key_path/),
    ]);
    const box = await steps.boundingBox();
    expect((box?.y ?? 9999) + (box?.height ?? 0)).toBeLessThanOrEqual(800);

    for (const { theme, size } of LOOKS) {
      await visitor.wear(theme);
      await visitor.resize(size);
      expect(await visitor.violations(theme === 'light' ? 'all' : 'colors')).toEqual([]);
      expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    }
  });

  it('takes keys under our own name for ours only where they are', async () => {
    const { service, origin } = stage.world;
    const ours = origin.respond;
    const validUntilTs = service.clock.now() + DAY_MS;
    const [ownKey] = await service.context.services.operators.keys.signingKeys();
    const records = ['other', ownKey?.keyId.replace('ed25519:', '') ?? ''].map((version) =>
      makeKeyRecord({ serverName: OWN_NAME, keys: [makeTestKey(version)], validUntilTs }),
    );
    const visitor = await stage.visit({ role: 'operator' });
    await visitor.goto('/');
    const step = visitor.page.getByRole('listitem').filter({ hasText: 'Check our published keys' });
    const button = step.getByRole('button', { name: 'Test: Check our published keys' });
    for (const record of records) {
      origin.respond = (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(record);
      await button.click();
      await step.getByRole('alert').filter({ hasText: 'another server answers' }).waitFor();
    }
    origin.respond = ours;
    await button.click();
    await step.getByText('Again', { exact: true }).waitFor();
    expect(await step.getByRole('alert').count()).toBe(0);
  });
});
