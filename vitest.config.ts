import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

import { sortTests } from './tests/projects.js';

const { unit, integration, timing, standard } = sortTests();
const globalSetup = ['tests/support/global-setup.ts'];

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
      // Nothing to keep apart, and starting a process for each costs more than the tests.
      { extends: true, test: { name: 'unit', include: unit, isolate: false } },
      {
        extends: true,
        test: {
          name: 'integration',
          include: integration,
          globalSetup,
          // They wait more than they work.
          maxWorkers: Math.ceil(1.5 * availableParallelism()),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'timing',
          include: timing,
          globalSetup,
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'standard',
          include: standard,
          globalSetup,
          env: { TEST_EXTRACTION: 'standard' },
          // Some of them measure time.
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
