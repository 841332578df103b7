import { expect } from 'vitest';

const PATIENCE_MS = 10_000;

/** An expectation of what `look` gives before long: a page draws when it can. */
export function eventually<Value>(look: () => Value): ReturnType<typeof expect.poll<Awaited<Value>>> {
  return expect.poll(look as () => Awaited<Value>, { timeout: PATIENCE_MS });
}
