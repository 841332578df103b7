import ipaddr from 'ipaddr.js';

import type { Asker } from '../../base/asker.js';
import { parseIpAddress } from './ip-address.js';

const NETWORK_GROUPS = 4;

/**
 * A client without account, by its address: IPv4 whole, IPv6 by its /64, which one client has to itself. What is no
 * address is one asker by that text.
 */
export function clientAsker(address: string, requestId: string): Asker {
  const parsed = parseIpAddress(address.split('%', 1)[0] ?? '');
  if (!(parsed instanceof ipaddr.IPv6))
    return { key: `ip:${parsed?.toString() ?? address}`, question: requestId };
  const network = parsed.parts.slice(0, NETWORK_GROUPS).map((part) => part.toString(16));
  return { key: `ip:${network.join(':')}::/64`, question: requestId };
}
