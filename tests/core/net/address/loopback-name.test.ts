import { expect, it } from 'vitest';

import { isLoopbackName } from '../../../../src/core/net/address/ip-address.js';

const words = (list: string): string[] => list.split(' ');

it.each([
  [true, words('localhost LOCALHOST app.localhost 127.0.0.1 127.255.0.9 ::1 [::1]')],
  [false, words('localhost.evil.example notlocalhost localhost. 127.0.0.1.evil.example 127.0.0.1:80')],
  [false, words('0.0.0.0 10.0.0.1 :: ::ffff:127.0.0.1 [::1].evil.example evil.example#localhost')],
])('a name always means this machine, %j: %j', (expected, names) => {
  expect(names.filter((name) => isLoopbackName(name) !== expected)).toEqual([]);
});
