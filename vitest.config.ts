import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

import { sortTests } from './tests/projects.js';
import { PATIENCE_MS } from './tests/support/patience.js';

const { unit, integration, postgresql, bounds, extra } = sortTests();
const EQUAL_BYTES = 'tests/support/equal-bytes.ts';
const globalSetup = ['tests/support/global-setup.ts'];
// A process and all modules for each file cost more than its tests; files share them, and leave nothing behind.
const shared = { isolate: false, setupFiles: [EQUAL_BYTES, 'tests/support/clean-process.ts'] };
// They wait more than they work.
const sideBySide = { globalSetup, ...shared, maxWorkers: 2 * availableParallelism() };
// Each in a process of its own, whose memory is theirs, and not more than there are processors.
const alone = { globalSetup, setupFiles: [EQUAL_BYTES], maxWorkers: availableParallelism() };

const sqlite = { TEST_ENGINES: 'sqlite' };
const others = integration.filter((test) => !postgresql.includes(test));
/** Of a database that goes away or hangs: most of it is about PostgreSQL. */
const outages = bounds.filter((test) => test.startsWith('tests/rest/store-'));
const previews = integration.filter((test) => test.startsWith('tests/rest/clients/preview/'));
const inGroup = (groupOrder: number) => ({ sequence: { groupOrder } });

export default defineConfig({
  resolve: {
    // Our sources and the packages must get the same graphql; without this one would get its ES modules.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    testTimeout: 3 * PATIENCE_MS,
    hookTimeout: 3 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    pool: 'forks',
    experimental: { fsModuleCache: true },
    projects: [
      // What `npm test` runs.
      { name: 'unit', include: unit, ...shared },
      { name: 'integration', include: integration, env: sqlite, ...sideBySide, ...inGroup(1) },
      {
        name: 'postgresql',
        include: postgresql,
        env: { TEST_ENGINES: 'postgresql' },
        ...sideBySide,
        ...inGroup(1),
      },
      { name: 'bounds', include: bounds, env: sqlite, ...alone, ...inGroup(2) },
      // What `npm run test:all` adds.
      { name: 'extra', include: extra, ...sideBySide, ...inGroup(3) },
      {
        name: 'second-engine',
        include: [...others, ...outages],
        env: { TEST_ENGINES: 'postgresql' },
        ...sideBySide,
        ...inGroup(3),
      },
      {
        name: 'standard',
        include: previews,
        env: { ...sqlite, TEST_EXTRACTION: 'standard' },
        ...sideBySide,
        ...inGroup(3),
      },
    ].map((test) => ({ extends: true as const, test })),
  },
});
