import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

import { PATIENCE_MS } from './tests/support/patience.js';
import { ofPreviewInterface, sortTests } from './tests/projects.js';

const { unit, integration, timing, usage } = sortTests();
const EQUAL_BYTES = 'tests/support/equal-bytes.ts';
const globalSetup = ['tests/support/global-setup.ts'];
// A process and all modules for each file cost more than its tests; files share them, and leave nothing behind.
const shared = { isolate: false, setupFiles: [EQUAL_BYTES, 'tests/support/clean-process.ts'] };
// They wait more than they work.
const sideBySide = { globalSetup, ...shared, maxWorkers: 2 * availableParallelism() };
const alone = { globalSetup, setupFiles: [EQUAL_BYTES], maxWorkers: 1, fileParallelism: false };
const oneByOne = { ...alone, ...shared };

const env = { TEST_EXTRACTION: 'standard' };
const inGroup = (groupOrder: number) => ({ sequence: { groupOrder } });

export default defineConfig({
  resolve: {
    // Our sources and the packages must get the same graphql; without this one would get its ES modules.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    // Four files share two cores, which may be slow ones: a limit is for what never ends.
    testTimeout: 5 * PATIENCE_MS,
    hookTimeout: 5 * PATIENCE_MS,
    expect: { poll: { timeout: PATIENCE_MS } },
    pool: 'forks',
    projects: [
      { name: 'unit', include: unit, ...shared },
      { name: 'integration', include: integration, ...sideBySide, ...inGroup(1) },
      { name: 'standard', include: ofPreviewInterface(integration), env, ...sideBySide, ...inGroup(1) },
      { name: 'timing', include: timing, ...oneByOne, ...inGroup(2) },
      { name: 'standard-timing', include: ofPreviewInterface(timing), env, ...oneByOne, ...inGroup(3) },
      { name: 'usage', include: usage, ...alone, ...inGroup(4) },
      { name: 'standard-usage', include: ofPreviewInterface(usage), env, ...alone, ...inGroup(5) },
    ].map((test) => ({ extends: true as const, test })),
  },
});
