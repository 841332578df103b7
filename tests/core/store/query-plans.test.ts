import type { GetPrismaClientConfig } from '@prisma/client/runtime/client';
import { expect, it } from 'vitest';

import { PrismaClient } from '../../../src/core/store/generated/sqlite/client.js';
import { withKnownPlans } from '../../../src/core/store/query-plans.js';
import { sqliteAdapterFactory } from '../../../src/core/store/sqlite/adapter.js';
import { loadSqliteDriver } from '../../../src/core/store/sqlite/driver.js';

it('gives the second client of a process the compiler of the first, not plans before its plans', () => {
  const place = { path: 'unused.db', synchronous: 'normal', busyTimeoutMs: 0 } as const;
  const adapter = sqliteAdapterFactory(loadSqliteDriver(), place);
  const configs: GetPrismaClientConfig[] = [];
  const configOverride = (config: GetPrismaClientConfig): GetPrismaClientConfig => {
    configs.push(withKnownPlans('sqlite', config));
    return configs.at(-1) ?? config;
  };
  // Its generated types leave the second out.
  const options: { adapter: typeof adapter } = Object.assign({ adapter }, { __internal: { configOverride } });
  const clients = [new PrismaClient(options), new PrismaClient(options)];

  const [first, second] = configs;
  if (first === undefined) throw new Error(`${clients.length} clients asked for no configuration`);
  expect(second).toBe(first);
  // One it does not know gets a compiler, though other files have made clients in this process.
  expect(withKnownPlans('sqlite', { ...first }).compilerWasm).not.toBe(first.compilerWasm);
});
