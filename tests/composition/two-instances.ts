import { startGraphqlService } from '../support/clients/admin-client.js';
import type { TestService, TestServiceOptions } from '../support/service.js';

/** Two instances on one PostgreSQL database, with default settings but for their names. */
export interface TwoInstances {
  first: TestService;
  second: TestService;
  remove(): Promise<void>;
}

export async function startTwoInstances(options: Omit<TestServiceOptions, 'engine'>): Promise<TwoInstances> {
  const first = await startGraphqlService({
    ...options,
    engine: 'postgresql',
    settings: { ...options.settings, jobs: { instance: 'first' } },
  });
  const second = await first.beside({ jobs: { instance: 'second' } });
  return {
    first,
    second,
    remove: async () => {
      await second.stop();
      await first.remove();
    },
  };
}

/** Resolves when something has come about; what never does ends with the test's time. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
