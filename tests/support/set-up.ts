import { afterAll, beforeAll } from 'vitest';

/**
 * Starts something for the tests around, before what they set up themselves, and removes it after them. What is returned
 * stands for it: its members can be read as soon as tests run.
 */
export function setUp<T extends { remove(): unknown }>(start: () => Promise<T>): T {
  let started: T | null = null;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    await started?.remove();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member is looked up in what was started
  return new Proxy({} as T, {
    get: (_target, name) => {
      if (started === null) throw new Error('not set up yet');
      return Reflect.get(started, name);
    },
  });
}
