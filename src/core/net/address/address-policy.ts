import ipaddr from 'ipaddr.js';

import { parseIpAddress } from './ip-address.js';

/**
 * Ranges that are refused unless the operator says otherwise: default of `url_preview_ip_range_blacklist` and
 * `ip_range_blacklist`. IANA special-purpose registries (RFC 6890 and successors); for IPv6 everything outside
 * global unicast 2000::/3, plus the special blocks inside it.
 */
export const DEFAULT_IP_RANGE_BLACKLIST: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
];

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Compiled address ranges, each with the entry as it was written. An IPv6 range never touches IPv4. */
export type AddressRanges = readonly (readonly [network: Address, prefixLength: number, entry: string])[];

const MAPPED_PREFIX_LENGTH = 96;

function readRange(entry: string): AddressRanges[number] {
  const text = entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`;
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) return [...ipaddr.IPv4.parseCIDR(text), entry];
  if (text.includes('%') || !ipaddr.IPv6.isValidCIDR(text))
    throw new Error(
      `"${entry}" is not an address range; wanted an address or network such as "192.168.0.0/16" or "fd00::/8"`,
    );
  const [network, bits] = ipaddr.IPv6.parseCIDR(text);
  return network.isIPv4MappedAddress() && bits >= MAPPED_PREFIX_LENGTH
    ? [network.toIPv4Address(), bits - MAPPED_PREFIX_LENGTH, entry]
    : [network, bits, entry];
}

/**
 * Compiles CIDR networks and single addresses. Bits behind the prefix are ignored; an IPv4-mapped network
 * counts as the IPv4 network it stands for.
 * @throws Error naming the entry that is not a range: a bad entry must stop the start, never be skipped.
 */
export function compileAddressRanges(texts: readonly string[]): AddressRanges {
  return texts.map(readRange);
}

/** The first entry whose range holds the address, as it was written; `null` when none does. */
function findRange(address: Address, ranges: AddressRanges): string | null {
  const kind = address.kind();
  const found = ranges.find(([network, bits]) => network.kind() === kind && address.match(network, bits));
  return found?.[2] ?? null;
}

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
function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4[] {
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

/** The two lists of a policy; the whitelist only makes exceptions from the blacklist. */
export interface AddressPolicyOptions {
  blacklist: AddressRanges;
  whitelist: AddressRanges;
}

/** The judgement on one address, and what it rests on. */
export interface AddressJudgement {
  verdict: 'allowed' | 'blocked';
  /** The list whose entry decided; `always`: no list can allow it; `null`: no list names it. */
  list: 'blacklist' | 'whitelist' | 'always' | null;
  /** The entry as it stands in its list; for `always` the address; `null` when no list names it. */
  range: string | null;
}

/** Addresses that mean this very machine and that no list can allow. */
export const ALWAYS_BLOCKED = ['0.0.0.0', '::'] as const;

const ALWAYS_BLOCKED_FORMS: ReadonlySet<string> = new Set(['0.0.0.0', '0:0:0:0:0:0:0:0']);

/**
 * Decides which addresses outgoing connections may go to. An IPv6 address that carries an IPv4 address inside
 * (NAT64, 6to4, Teredo, …) is allowed only if both are. `0.0.0.0`, `::`, addresses with a zone id and whatever
 * does not parse are blocked whatever the lists say.
 */
export class AddressPolicy {
  /** Where the entry stands that a judgement rests on, for people; `null` where nobody has said. */
  sourceOf: (judgement: AddressJudgement) => string | null = () => null;
  #lists: AddressPolicyOptions;

  constructor(options: AddressPolicyOptions) {
    this.#lists = options;
  }

  /** Takes other lists from now on. Connections that are open stay open. */
  replace(lists: AddressPolicyOptions): void {
    this.#lists = lists;
  }

  /** Verdict for one address in standard text form, without brackets. Never throws. */
  verdict(text: string): 'allowed' | 'blocked' {
    return this.judge(text).verdict;
  }

  /** The same with the entry that decided. Never throws. */
  judge(text: string): AddressJudgement {
    const address = parseIpAddress(text);
    if (address === null) return { verdict: 'blocked', list: 'always', range: text };
    const outer = this.#judge(address);
    if (outer.verdict === 'blocked' || address instanceof ipaddr.IPv4) return outer;
    const inner = embeddedIpv4(address).map((embedded) => this.#judge(embedded));
    return inner.find(({ verdict }) => verdict === 'blocked') ?? outer;
  }

  /** Why an address is blocked, as the end of a sentence, with the entry and where it stands; `null` when it is not. */
  whyBlocked(text: string): string | null {
    const judgement = this.judge(text);
    if (judgement.verdict === 'allowed') return null;
    if (judgement.list === 'always') return 'always blocked';
    const source = this.sourceOf(judgement);
    return `in the blocked range ${judgement.range}${source === null ? '' : `: ${source}`}`;
  }

  #judge(address: Address): AddressJudgement {
    if (ALWAYS_BLOCKED_FORMS.has(address.toNormalizedString())) {
      return { verdict: 'blocked', list: 'always', range: address.toString() };
    }
    const denied = findRange(address, this.#lists.blacklist);
    if (denied === null) return { verdict: 'allowed', list: null, range: null };
    const excepted = findRange(address, this.#lists.whitelist);
    return excepted === null
      ? { verdict: 'blocked', list: 'blacklist', range: denied }
      : { verdict: 'allowed', list: 'whitelist', range: excepted };
  }
}
