import 'reflect-metadata';
import { describe, expect, it } from 'vitest';

import { pageRequest } from '../../../src/graphql/common/connection.js';

describe('page arguments', () => {
  it.each([
    [{}, { size: 25, cursor: null }],
    [
      { first: null, after: null },
      { size: 25, cursor: null },
    ],
    [
      { first: 100, after: 'c' },
      { size: 100, cursor: 'c' },
    ],
  ])('%o asks for %o', (args, request) => {
    expect(pageRequest(args)).toEqual(request);
  });

  it.each([{ first: 0 }, { first: -1 }, { first: 101 }])('%o is refused', (args) => {
    expect(() => pageRequest(args)).toThrow(
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }) }),
    );
  });
});
