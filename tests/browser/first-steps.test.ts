import { describe, expect, it } from 'vitest';

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
      expect.stringMatching(/ token create --user @me:/),
      expect.stringMatching(/ config show.* \| grep signing_key_path/),
    ]);
    const box = await steps.boundingBox();
    expect((box?.y ?? 9999) + (box?.height ?? 0)).toBeLessThanOrEqual(800);

    await steps.getByRole('checkbox', { name: 'Done: Back up the signing key' }).check();
    await steps.getByText('1 of 4 done').waitFor();

    for (const { theme, size } of LOOKS) {
      await visitor.wear(theme);
      await visitor.resize(size);
      expect(await visitor.violations(theme === 'light' ? 'all' : 'colors')).toEqual([]);
      expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    }
  });
});
