import ipaddr from 'ipaddr.js';

/** The eight 16-bit groups of an IPv6 address; absent groups read as 0. */
const group = (address: ipaddr.IPv6, index: number): number => address.parts[index] ?? 0;

const ipv4Of = (high: number, low: number): ipaddr.IPv4 =>
  new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);

function startsWith(address: ipaddr.IPv6, ...groups: number[]): boolean {
  return groups.every((value, index) => group(address, index) === value);
}

/**
 * NAT64 with the local-use prefix 64:ff9b:1::/48 (RFC 8215) may embed after 48 bits, skipping bits 64 to 71,
 * or in the last 32 bits (RFC 6052 §2.2). The prefix length is not knowable from outside, so both readings
 * count; an all-zero reading is the other form's padding.
 */
function localNat64(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const middle = ipv4Of(group(address, 3), ((group(address, 4) & 0xff) << 8) | (group(address, 5) >> 8));
  const last = ipv4Of(group(address, 6), group(address, 7));
  const filled = [middle, last].filter((reading) => reading.toString() !== '0.0.0.0');
  return filled.length === 0 ? [last] : filled;
}

/** Teredo (RFC 4380 §4): the server's address, and the client's with every bit inverted. */
function teredo(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const client = ipv4Of(group(address, 6) ^ 0xffff, group(address, 7) ^ 0xffff);
  return [client, ipv4Of(group(address, 2), group(address, 3))];
}

/**
 * IPv4 addresses that traffic to this IPv6 address may end at: compatible, SIIT, NAT64 (both prefixes), 6to4,
 * Teredo and ISATAP forms. Empty when it is none of them. IPv4-mapped addresses are no case: they are
 * turned into IPv4 before this is asked.
 */
export function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const tail = ipv4Of(group(address, 6), group(address, 7));
  if (startsWith(address, 0, 0, 0, 0, 0, 0)) {
    // "::" and "::1" are the unspecified and the loopback address, not 0.0.0.0 and 0.0.0.1 (RFC 4291 §2.5).
    return group(address, 6) === 0 && group(address, 7) <= 1 ? [] : [tail];
  }
  if (startsWith(address, 0, 0, 0, 0, 0xffff, 0)) return [tail];
  if (startsWith(address, 0x64, 0xff9b, 0, 0, 0, 0)) return [tail];
  if (startsWith(address, 0x64, 0xff9b, 1)) return localNat64(address);
  const found: ipaddr.IPv4[] = [];
  if (startsWith(address, 0x2002)) found.push(ipv4Of(group(address, 1), group(address, 2)));
  if (startsWith(address, 0x2001, 0)) found.push(...teredo(address));
  // RFC 5214 §6.1; the universal/local bit may be set or not.
  if ((group(address, 4) & 0xfdff) === 0 && group(address, 5) === 0x5efe) found.push(tail);
  return found;
}
