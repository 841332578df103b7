import 'reflect-metadata';
import { describe, expect, it } from 'vitest';

import { pageRequest } from '../../../src/graphql/common/connection.js';

describe('page arguments', () => {
  it.each([
    [{}, { direction: 'forward', size: 25, cursor: null }],
    [
      { first: null, after: null, last: null, before: null },
      { direction: 'forward', size: 25, cursor: null },
    ],
    [
      { first: 100, after: 'c' },
      { direction: 'forward', size: 100, cursor: 'c' },
    ],
    [{ last: 1 }, { direction: 'backward', size: 1, cursor: null }],
    [{ before: 'c' }, { direction: 'backward', size: 25, cursor: 'c' }],
  ])('%o asks for %o', (args, request) => {
    expect(pageRequest(args)).toEqual(request);
  });

  it.each([
    { first: 0 },
    { first: -1 },
    { first: 101 },
    { last: 101 },
    { last: 0 },
    { first: 1, last: 1 },
    { after: 'a', before: 'b' },
    { first: 1, before: 'b' },
    { last: 1, after: 'a' },
  ])('%o is refused', (args) => {
    expect(() => pageRequest(args)).toThrow(
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'BAD_USER_INPUT' }) }),
    );
  });
});
