import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    // Our sources and the packages must get the same graphql; without this one would get its ES modules.
    alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
  },
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: ['tests/support/global-setup.ts'],
    pool: 'forks',
  },
});
