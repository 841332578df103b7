import ipaddr from 'ipaddr.js';

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
