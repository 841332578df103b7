import ipaddr from 'ipaddr.js';

import type { Client } from '../../base/client.js';
import { parseIpAddress } from './ip-address.js';

const NETWORK_GROUPS = 4;

/**
 * A client without account, by its address: IPv4 whole, IPv6 by its /64, which one client has to itself. What is no
 * address is used as it is.
 */
export function addressClient(address: string): Client {
  return `ip:${addressGroup(address)}`;
}

/** As systems write addresses: no zeros in front, the network not shortened. */
const PLAIN_NETWORK = /^[1-9a-f][\da-f]{0,3}:(?:(?:0|[1-9a-f][\da-f]{0,3}):){3}/;

/** IPv4 whole, IPv6 by its /64, of which whoever has one address has all; what is not an address as it is. */
export function addressGroup(address: string): string {
  // Each request asks: reading an IPv6 address as a whole takes ten microseconds.
  if (!address.includes(':')) return address;
  const plain = PLAIN_NETWORK.exec(address)?.[0];
  if (plain !== undefined) return `${plain}:/64`;
  const parsed = parseIpAddress(address.split('%', 1)[0] ?? '');
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address;
  const network = parsed.parts.slice(0, NETWORK_GROUPS).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
