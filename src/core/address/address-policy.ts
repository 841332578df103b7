import ipaddr from 'ipaddr.js';

import type { AddressRanges } from './address-ranges.js';
import { isInRanges } from './address-ranges.js';
import { embeddedIpv4 } from './embedded-ipv4.js';
import { parseIpAddress } from './ip-address.js';

/** The two lists of a policy; the whitelist only makes exceptions from the blacklist. */
export interface AddressPolicyOptions {
  blacklist: AddressRanges;
  whitelist: AddressRanges;
}

const ALWAYS_BLOCKED: ReadonlySet<string> = new Set(['0.0.0.0', '0:0:0:0:0:0:0:0']);

/**
 * Decides which addresses outgoing connections may go to. An IPv6 address that carries an IPv4 address inside
 * (NAT64, 6to4, Teredo, …) is allowed only if both are. `0.0.0.0`, `::`, addresses with a zone id and whatever
 * does not parse are blocked whatever the lists say.
 */
export class AddressPolicy {
  readonly #lists: AddressPolicyOptions;

  constructor(options: AddressPolicyOptions) {
    this.#lists = options;
  }

  /** Verdict for one address in standard text form, without brackets. Never throws. */
  verdict(text: string): 'allowed' | 'blocked' {
    const address = parseIpAddress(text);
    if (address === null || this.#isBlocked(address)) return 'blocked';
    if (address instanceof ipaddr.IPv4) return 'allowed';
    return embeddedIpv4(address).some((inner) => this.#isBlocked(inner)) ? 'blocked' : 'allowed';
  }

  #isBlocked(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    if (ALWAYS_BLOCKED.has(address.toNormalizedString())) return true;
    return isInRanges(address, this.#lists.blacklist) && !isInRanges(address, this.#lists.whitelist);
  }
}
