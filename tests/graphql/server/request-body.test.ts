import { describe, expect, it } from 'vitest';

import { readOperationRequest } from '../../../src/graphql/server/request-body.js';

const read = (text: string) => readOperationRequest(Buffer.from(text));

describe('the body of an operation', () => {
  it('is read with escaped member names, whatever came before', () => {
    expect(() => read('{"w":0,"quer\\\\":"{ a }"}')).toThrow('either id or query');

    expect(read('{"w":0,"quer\\u0079":"{ a }"}').query).toBe('{ a }');
  });

  it('keeps numbers of all kinds', () => {
    const { variables } = read('{"id":"x","variables":{"a":1.5,"b":-0,"c":1e3,"d":9007199254740993}}');

    expect({ ...variables }).toEqual({ a: 1.5, b: -0, c: 1000, d: '9007199254740993' });
  });

  it.each(['{"id":"x","id":"y"}', 'null'])('%s is refused', (text) => {
    expect(() => read(text)).toThrow(
      'The body is null or not JSON, nested too deep, or names a member twice',
    );
  });
});
