import { describe, expect, test } from 'vitest';

import { otherMembers } from '../../../../src/core/notary/signing/secret-file.js';

const FILES = {
  passwd: [
    'root:x:0:0:root:/root:/bin/sh',
    'synapse:x:110:120:homeserver:/var/lib/synapse:/bin/false',
    'vidimus:x:111:121::/var/lib/vidimus:/bin/false',
    'alice:x:1000:1000::/home/alice:/bin/sh',
    'bob:x:1001:100::/home/bob:/bin/sh',
    '',
  ].join('\n'),
  group: [
    'root:x:0:',
    'synapse:x:120:vidimus',
    'vidimus:x:121:',
    'users:x:100:alice',
    'staff:x:50:vidimus,alice',
    '',
  ].join('\n'),
};
const VIDIMUS = 111;
const SYNAPSE = 110;

describe('who else can read a file of a group', () => {
  test.each([
    ["the homeserver's own, with us in it", 120, []],
    ['our own', 121, []],
    ['a group with another user in it', 50, ['alice']],
    ["a group that is another user's first", 100, ['bob', 'alice']],
    ['a group the machine does not know', 999, null],
  ])('%s', (_what, gid, wanted) => {
    expect(otherMembers(FILES, { gid, uids: [SYNAPSE, VIDIMUS] })).toEqual(wanted);
  });
});
