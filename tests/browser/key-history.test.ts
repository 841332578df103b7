import { beforeAll, describe, expect, it } from 'vitest';

import { DAY_MS } from '../../src/core/base/clock.js';
import { makeTestKey, type KeyRecordOptions } from '../support/origins/key-record-maker.js';
import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import { LOOKS } from './support/visitor.js';
import { HEALTHY, ROTATED, storeRecord } from './support/world.js';

const [OLD, SPARE, REPLACED] = [makeTestKey('a_old'), makeTestKey('a_spare'), makeTestKey('a_spare')];
/** Bands and lanes of the drawing, and its marks. */
const KINDS = ['record', 'verify', 'old', 'gap', 'ROTATION', 'REPLACEMENT', 'GAP'];

describe.skipIf(findChromium() === null)('the history of a server', () => {
  const stage = setStage();
  let nowTs: number;

  const save = (serverName: string, fetchedTs: number, options: Partial<KeyRecordOptions>) =>
    storeRecord(stage.world, fetchedTs, { keys: [OLD], ...options, serverName });
  const daysAgo = (days: number) => nowTs - days * DAY_MS;

  beforeAll(async () => {
    nowTs = stage.world.service.clock.now();
    const oldKeys = [{ key: OLD, expiredTs: daysAgo(8) }];
    await save(ROTATED, daysAgo(14), {});
    await save(ROTATED, daysAgo(12.5), {});
    // Nothing for five days after it has ended.
    await save(ROTATED, daysAgo(8), { keys: [SPARE], oldKeys });
    await save(ROTATED, daysAgo(7), { keys: [SPARE], oldKeys });
    await save(ROTATED, daysAgo(5.5), { keys: [REPLACED], oldKeys, validUntilTs: daysAgo(-1) });
    for (const name of [ROTATED, HEALTHY]) await stage.world.askKeys(name);
  });

  it('is drawn, and an instant is chosen by keyboard', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto(`/keys/${ROTATED}?tab=history`);
    const slider = page.getByRole('slider', { name: 'Instant' });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('2027-01-01 09:30:00 UTC: record 1', { exact: true }).waitFor();
    expect(await slider.getAttribute('aria-valuetext')).toBe('2027-01-01 09:30:00 UTC: record 1');
    await page.keyboard.press('ArrowRight');
    await page.getByText(/: record 2$/).waitFor();

    const drawn = (kind: string) => slider.locator(`svg [data-kind="${kind}"]`).count();
    expect(
      Object.fromEntries(await Promise.all(KINDS.map(async (kind) => [kind, await drawn(kind)]))),
    ).toEqual({ record: 6, verify: 4, old: 2, gap: 1, ROTATION: 2, REPLACEMENT: 2, GAP: 1 });
    const words = await page.getByRole('list', { name: 'What happened' }).innerText();
    for (const word of ['rotation', 'replaced', 'gap']) expect(words).toContain(word);
    for (const { theme, size } of LOOKS) {
      await visitor.wear(theme);
      await visitor.resize(size);
      expect(await visitor.violations(theme === 'light' ? 'all' : 'colors')).toEqual([]);
      expect(await visitor.overflow()).toBeLessThanOrEqual(0);
    }
  });
});
