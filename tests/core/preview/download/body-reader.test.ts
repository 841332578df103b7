import { expect, it } from 'vitest';

import { Deadline } from '../../../../src/core/base/deadline.js';
import { readBody } from '../../../../src/core/preview/download/answer-body.js';
import { turnsWhile } from '../../../support/turns.js';

const MEGABYTE = 1024 * 1024;

/** An answer of that many bytes which are all there at once, in pieces as a socket hands them out. */
const allThere = (sizeBytes: number, length: string | null) => {
  let sentBytes = 0;
  return {
    status: 200,
    headers: length === null ? {} : { 'content-length': length },
    wireBytes: () => sentBytes,
    body: (async function* () {
      const chunk = Buffer.alloc(64 * 1024, 'x');
      while (sentBytes < sizeBytes) {
        sentBytes += chunk.length;
        yield chunk;
      }
    })(),
    destroy: () => {},
  };
};

it.each([
  ['of stated size', String(8 * MEGABYTE)],
  ['of unknown size', null],
])('reads a large body %s without holding up the event loop', async (_, length) => {
  const deadline = new Deadline(60_000);
  const { result, turns } = await turnsWhile(() =>
    readBody(allThere(8 * MEGABYTE, length), { maxBytes: 9 * MEGABYTE, deadline }),
  );
  deadline.close();
  expect(result.equals(Buffer.alloc(8 * MEGABYTE, 'x'))).toBe(true);
  // At most a quarter of a megabyte in each.
  expect(turns).toBeGreaterThanOrEqual(32);
});
