import { describe, expect, it } from 'vitest';
import { isStoreUnavailable } from '../../../src/core/store/store-errors.js';
import { badJson, storeUnavailable } from '../../../src/core/base/errors/api-error.js';

const withCode = (code: string, message = 'm') => Object.assign(new Error(message), { code });

describe('isStoreUnavailable', () => {
  it.each([
    ['connection refused', withCode('ECONNREFUSED')],
    ['refused on every address', new AggregateError([withCode('ECONNREFUSED')], 'm')],
    ['shut down by an administrator', withCode('57P01')],
    ['the server is starting up', withCode('57P03')],
    ['too many clients', withCode('53300')],
    ['lost connection without a code', new Error('Connection terminated unexpectedly')],
    ['no free connection', new Error('timeout exceeded when trying to connect')],
    ['Prisma: not reachable', withCode('P1001')],
    ['Prisma: closed', withCode('P1017')],
    ['no turn for a transaction', withCode('P2028', 'Unable to start a transaction in the given time.')],
    ['wrapped as cause', new Error('m', { cause: withCode('ETIMEDOUT') })],
    ['the public error', storeUnavailable()],
  ])('holds: %s', (_case, error) => {
    expect(isStoreUnavailable(error)).toBe(true);
  });

  it.each([
    ['a unique constraint', withCode('P2002')],
    ['a misused transaction', withCode('P2028', 'Transaction not found.')],
    ['a syntax error in SQL', withCode('42601')],
    ['an error of the client', badJson('m')],
    ['a bug', new TypeError('m')],
    ['undefined', undefined],
    ['a text', 'ECONNREFUSED'],
  ])('does not hold: %s', (_case, error) => {
    expect(isStoreUnavailable(error)).toBe(false);
  });
});
