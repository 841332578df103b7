import 'reflect-metadata';
import { describe, expect, it } from 'vitest';

import { readNodeId, rowOfNodeId, toNodeId } from '../../../src/graphql/common/fields.js';

describe('node ids', () => {
  it('hold type and key, whatever is in the key', () => {
    for (const key of ['a:b', 'ä', '', '☃', 'a.example']) {
      expect(readNodeId(toNodeId('RemoteServer', key))).toEqual({ typeName: 'RemoteServer', key });
    }
  });

  it('have one spelling', () => {
    const id = toNodeId('Media', 'abc');

    expect(readNodeId(`${id}=`)).toBeNull();
    expect(readNodeId(`${id} `)).toBeNull();
    expect(readNodeId(id.replace(/.$/, '*'))).toBeNull();
  });

  it.each([
    ['1', 1],
    ['2147483647', 2_147_483_647],
    ['2147483648', null],
    ['0', null],
    ['01', null],
    ['1.0', null],
  ])('the row %s is %s', (key, row) => {
    expect(rowOfNodeId('JobRun', toNodeId('JobRun', key))).toBe(row);
    expect(rowOfNodeId('KeyFetch', toNodeId('JobRun', key))).toBeNull();
  });
});
