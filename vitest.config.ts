import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

import { sortTests } from './tests/projects.js';

const { unit, integration, timing, standard, standardTiming } = sortTests();
const globalSetup = ['tests/support/global-setup.ts'];
// A process and all modules for each file cost more than its tests; files share them, and leave nothing behind.
const shared = { isolate: false, setupFiles: ['tests/support/clean-process.ts'] };
// They wait more than they work.
const sideBySide = { globalSetup, ...shared, maxWorkers: Math.ceil(1.5 * availableParallelism()) };
const oneByOne = { globalSetup, ...shared, maxWorkers: 1, fileParallelism: false };
const env = { TEST_EXTRACTION: 'standard' };

export default defineConfig({
  resolve: {
    // Our sources and the packages must get the same graphql; without this one would get its ES modules.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'unit', include: unit, ...shared } },
      {
        extends: true,
        test: { name: 'integration', include: integration, ...sideBySide, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'standard', include: standard, env, ...sideBySide, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'timing', include: timing, ...oneByOne, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: {
          name: 'standard-timing',
          include: standardTiming,
          env,
          ...oneByOne,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
