import ipaddr from 'ipaddr.js';

import { findRange, type AddressRanges } from './address-ranges.js';
import { embeddedIpv4 } from './embedded-ipv4.js';
import { parseIpAddress } from './ip-address.js';

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

  #judge(address: ipaddr.IPv4 | ipaddr.IPv6): AddressJudgement {
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
