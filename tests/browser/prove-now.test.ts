import { describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';

describe.skipIf(findChromium() === null)('a line of the health list that is not proved', () => {
  const stage = setStage({ settings: { dns: { servers: ['127.0.0.1:1'] } } });

  it('says so, and what proving it now found', async () => {
    const visitor = await stage.visit({ role: 'operator' });
    const { page } = visitor;
    await visitor.goto('/');
    const line = page.getByRole('listitem').filter({ hasText: 'made-up name' });
    const prove = page.getByRole('button', { name: 'Prove now: DNS' });
    const unproved = page.getByRole('listitem').filter({ has: prove }).filter({ hasText: 'Not proved' });
    expect(await unproved.getByRole('img').getAttribute('aria-label')).toBe('Not proved');
    await prove.click();
    await line.getByText('No answer:').waitFor();
    // The page's clock runs, that of the service stands still.
    expect(await line.textContent()).toMatch(/(just now|\d+ s ago) · /);
  });

  it('offers a viewer no way to prove it', async () => {
    const visitor = await stage.visit({ role: 'viewer' });
    await visitor.goto('/');
    await visitor.page.getByText('Reachability', { exact: true }).waitFor();
    expect(await visitor.page.getByRole('button', { name: /^Prove now/ }).count()).toBe(0);
  });
});
