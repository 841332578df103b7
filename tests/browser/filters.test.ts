import { beforeAll, describe, expect, it } from 'vitest';

import { findChromium } from './support/chromium.js';
import { setStage } from './support/stage.js';
import type { Visitor } from './support/visitor.js';

const NO_TIMES = 'from=yesterday&to=2026-02-31T00:00';
const NO_WORDS = 'q=%20&host=%20&server=%20&type=%20';

/** Lists, and parameters of each that say nothing to it. */
const LISTS = [
  { path: '/previews', search: `status=5xx&state=OLD&image=perhaps&empty=perhaps&${NO_TIMES}&${NO_WORDS}` },
  { path: '/previews', search: `tab=media&file=LOST&${NO_TIMES}&${NO_WORDS}` },
  { path: '/keys', search: `state=OLD&failing=perhaps&cause=LUCK&look=perhaps&within=year&${NO_WORDS}` },
  { path: '/keys', search: `tab=events&kind=LUCK&acknowledged=perhaps&${NO_TIMES}&${NO_WORDS}` },
  { path: '/access', search: `tab=audit&show=all&outcome=LUCK&${NO_TIMES}&${NO_WORDS}` },
  { path: '/blocking', search: `tab=hits&stage=LUCK&by=LUCK&since=year&${NO_WORDS}` },
];

/** Filters that the page sends from now on. */
function filtersOf({ page }: Visitor): Record<string, unknown>[] {
  const filters: Record<string, unknown>[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'POST') return;
    const { variables } = request.postDataJSON() as { variables?: { filter?: Record<string, unknown> } };
    if (variables?.filter) filters.push(variables.filter);
  });
  return filters;
}

describe.skipIf(findChromium() === null)('a filter', () => {
  const stage = setStage();
  beforeAll(async () => {
    const { ask, at } = stage.world;
    for (const path of ['/harbour', '/meadow']) await ask(at(path));
  });

  it.each(LISTS)('that $path?$search does not tell is neither sent nor shown', async ({ path, search }) => {
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    const filters = filtersOf(visitor);
    await visitor.goto(`${path}?${search}`);

    const bar = page.getByRole('main').getByRole('search');
    await bar.waitFor();
    expect(await bar.getByRole('button', { name: /^Remove filter/ }).allTextContents()).toEqual([]);
    expect(await bar.getByRole('button', { pressed: true }).allTextContents()).toEqual([]);
    expect(await bar.getByRole('textbox', { name: 'Search' }).inputValue()).toBe('');
    expect(filters.length).toBeGreaterThan(0);
    for (const filter of filters)
      expect(Object.entries(filter).filter(([, value]) => value !== null && value !== false)).toEqual([]);
  });

  it('by something that is no status stays among the words, so that nothing is ticked or deleted by it', async () => {
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto('/previews');
    const search = page.getByRole('textbox', { name: 'Search' });
    await search.fill('status:5xx');
    await search.press('Enter');

    await page.getByText('No preview matches').waitFor();
    expect(await search.inputValue()).toBe('status:5xx');
    expect(await page.getByRole('button', { name: /^Remove filter/ }).count()).toBe(0);
    expect(await visitor.violations()).toEqual([]);

    await search.fill('status:200 ');
    await page.getByRole('button', { name: 'Remove filter status 200' }).waitFor();
    await expect.poll(() => search.inputValue()).toBe('');
  });

  it('whose words the dialog of a deletion says is the filter that the deletion counts by', async () => {
    const visitor = await stage.visit({ role: 'admin' });
    const { page } = visitor;
    await visitor.goto(`/previews?status=5xx&empty=no&${NO_TIMES}&size=1`);
    await page.getByRole('checkbox', { name: 'Tick all rows of this page' }).check();
    await page.getByRole('button', { name: /^Tick all \d+ previews/ }).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete all \d+ previews that match/ });
    await dialog.waitFor();
    expect(await dialog.locator('section p').first().textContent()).toBe('All that match: not empty');
  });
});
