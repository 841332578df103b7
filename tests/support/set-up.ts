import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

interface Removable {
  remove(): unknown;
}

/**
 * Starts something for the tests around, before what they set up themselves, and removes it after them. What is returned
 * stands for it: its members can be read as soon as tests run.
 */
export function setUp<T extends Removable>(start: () => Promise<T>): T {
  const { standIn, set, remove } = place<T>();
  beforeAll(async () => set(await start()));
  afterAll(remove);
  return standIn;
}

/** The same, anew for each test. */
export function setUpEach<T extends Removable>(start: () => Promise<T>): T {
  const { standIn, set, remove } = place<T>();
  beforeEach(async () => set(await start()));
  afterEach(remove);
  return standIn;
}

function place<T extends Removable>() {
  let started: T | null = null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member is looked up in what was started
  const standIn = new Proxy({} as T, {
    get: (_target, name) => {
      if (started === null) throw new Error('not set up yet');
      return Reflect.get(started, name);
    },
  });
  return {
    standIn,
    set: (value: T): void => void (started = value),
    remove: async () => {
      await started?.remove();
      started = null;
    },
  };
}
