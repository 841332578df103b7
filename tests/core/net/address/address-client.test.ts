import { expect, it } from 'vitest';

import { addressClient } from '../../../../src/core/net/address/ip-address.js';

it.each([
  ['192.0.2.1', 'ip:192.0.2.1'],
  ['::ffff:192.0.2.1', 'ip:192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
  ['2001:db8:0:2::9', 'ip:2001:db8:0:2::/64'],
  ['2001:DB8:1:2::9', 'ip:2001:db8:1:2::/64'],
  ['0:0:0:0:0:ffff:192.0.2.1', 'ip:192.0.2.1'],
  ['fe80::1%eth0', 'ip:fe80:0:0:0::/64'],
  ['no address', 'ip:no address'],
])('the key of the client %s is %s', (address, key) => {
  expect(addressClient(address)).toBe(key);
});
