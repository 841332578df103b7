import ipaddr from 'ipaddr.js';
import { getDomain } from 'tldts';

import type { Client } from '../../base/fair-queue.js';

const MAX_ADDRESS_LENGTH = 45;

/**
 * Reads one address in its standard form: four decimal parts, or IPv6 without brackets and zone id.
 * IPv4-mapped IPv6 comes back as IPv4. Null for everything else (octal, hex and short forms included).
 */
export function parseIpAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.length > MAX_ADDRESS_LENGTH || text.includes('%')) return null;
  if (isFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

const DIGITS_AND_DOTS = /^[\d.]{7,15}$/;

/** The library makes an exception of every name that is none, which takes longer than all else about an address. */
function isFourPartDecimal(text: string): boolean {
  return DIGITS_AND_DOTS.test(text) && ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** True for a host that is an address or pretends to be one, and must therefore never be looked up in DNS. */
export function isIpLiteral(host: string): boolean {
  return host.includes(':') || host.includes('%') || isFourPartDecimal(host);
}

/** True if both texts are the same address, however they are spelled (IPv4-mapped equals IPv4). */
export function isSameAddress(left: string, right: string): boolean {
  const a = parseIpAddress(left);
  const b = parseIpAddress(right);
  return a !== null && b !== null && a.toNormalizedString() === b.toNormalizedString();
}

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

/** IPv4 addresses as they are, IPv6 by their /64: a client that has one address has them all. Other text is kept. */
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

/**
 * Whether a host name or address, as in a URL or a bind address, always means this machine: `localhost`, names
 * below it (RFC 6761, 6.3), 127.0.0.0/8 and ::1. Names that merely resolve to such an address do not count.
 */
export function isLoopbackName(host: string): boolean {
  if (host === '::1' || host === '[::1]') return true;
  return /^(?:[a-z0-9-]+\.)*localhost$/i.test(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * The domain that somebody registered and below which they can make names at will, by the public suffix list, its
 * private section included; lower case. A name with none, such as a single label or a suffix, stands for itself.
 */
export function registrableDomain(name: string): string {
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return getDomain(name, options) ?? name.toLowerCase();
}
