import ipaddr from 'ipaddr.js';

type Range<T> = readonly [network: T, prefixLength: number, entry: string];

/** Compiled address ranges, one list per family: an IPv6 range never touches IPv4. */
export interface AddressRanges {
  readonly ipv4: readonly Range<ipaddr.IPv4>[];
  readonly ipv6: readonly Range<ipaddr.IPv6>[];
}

const MAPPED_PREFIX_LENGTH = 96;

function prefixLength(text: string | undefined, bits: number): number | null {
  if (text === undefined) return bits;
  if (!/^\d{1,3}$/.test(text)) return null;
  const length = Number(text);
  return length <= bits ? length : null;
}

function bad(entry: string): Error {
  return new Error(
    `"${entry}" is not an address range; wanted an address or network such as "192.168.0.0/16" or "fd00::/8"`,
  );
}

function addRange(entry: string, ranges: { ipv4: Range<ipaddr.IPv4>[]; ipv6: Range<ipaddr.IPv6>[] }): void {
  const [address = '', length, ...rest] = entry.split('/');
  if (rest.length > 0 || address.includes('%')) throw bad(entry);
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const bits = prefixLength(length, 32);
    if (bits === null) throw bad(entry);
    ranges.ipv4.push([ipaddr.IPv4.parse(address), bits, entry]);
    return;
  }
  const bits = prefixLength(length, 128);
  if (bits === null || !ipaddr.IPv6.isValid(address)) throw bad(entry);
  const network = ipaddr.IPv6.parse(address);
  if (network.isIPv4MappedAddress() && bits >= MAPPED_PREFIX_LENGTH) {
    ranges.ipv4.push([network.toIPv4Address(), bits - MAPPED_PREFIX_LENGTH, entry]);
    return;
  }
  ranges.ipv6.push([network, bits, entry]);
}

/**
 * Compiles CIDR networks and single addresses. Bits behind the prefix are ignored; an IPv4-mapped network
 * counts as the IPv4 network it stands for.
 * @throws Error naming the entry that is not a range: a bad entry must stop the start, never be skipped.
 */
export function compileAddressRanges(texts: readonly string[]): AddressRanges {
  const ranges = { ipv4: [] as Range<ipaddr.IPv4>[], ipv6: [] as Range<ipaddr.IPv6>[] };
  for (const text of texts) addRange(text, ranges);
  return ranges;
}

/** The first entry whose range holds the address, as it was written; `null` when none does. */
export function findRange(address: ipaddr.IPv4 | ipaddr.IPv6, ranges: AddressRanges): string | null {
  const found =
    address instanceof ipaddr.IPv4
      ? ranges.ipv4.find(([network, bits]) => address.match(network, bits))
      : ranges.ipv6.find(([network, bits]) => address.match(network, bits));
  return found?.[2] ?? null;
}
