import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../src', import.meta.url));

const files = readdirSync(ROOT, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((path) => !path.includes('/generated/'))
  .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }));

/** Files that hold a name, or have it as their own. */
function placesOf(name: RegExp): string[] {
  const found = files.filter(({ path, text }) => name.test(path) || name.test(text));
  return found.map(({ path }) => path).toSorted();
}

/** What builds a job; those that other jobs are built with are not of one wing. */
const builders = files
  .filter(({ path }) => path.startsWith('jobs/'))
  .flatMap(({ text }) => [...text.matchAll(/^export function (\w+Job)\(/gm)].map(([, name = '']) => name))
  .filter((name) => placesOf(new RegExp(`\\b${name}\\b`)).some((path) => path.startsWith('composition/')));

describe('what CONTRIBUTING walks through', () => {
  it.each([
    { name: /prune[_-]?fetch[_-]?history/i, places: ['composition/notary.ts', 'jobs/prune-fetch-history.ts'] },
    { name: /measure_totals|measureTotalsJob/, places: ['composition/overview.ts', 'jobs/measure-totals.ts'] },
  ])('a job such as $name is named in two files', ({ name, places }) => {
    expect(placesOf(name)).toEqual(places);
  });

  it('no job has its builder named in more than two files', () => {
    const named = builders.map((name) => placesOf(new RegExp(`\\b${name}\\b`)).length);
    expect(builders.length).toBeGreaterThan(4);
    expect(named).toEqual(builders.map(() => 2));
  });

  it('a live setting such as previews.rate_limit is named in two files', () => {
    expect(placesOf(/\brate_limit\b/)).toEqual([
      'composition/request-policies.ts',
      'config/settings/preview-settings.ts',
    ]);
  });
});
