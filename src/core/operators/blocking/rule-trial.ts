import { setImmediate as nextTurn } from 'node:timers/promises';

import { AddressPolicy } from '../../net/address/address-policy.js';
import { compileAddressRanges } from '../../net/address/address-ranges.js';
import type { UrlRule } from '../../preview/rules/url-pattern.js';
import { UrlRules } from '../../preview/rules/url-rules.js';
import type { Database } from '../../store/db.js';
import { isUrlList, type RuleDraft, type RuleList, type RuleValue } from './added-rule.js';
import { seenUrls, type SeenUrl } from './seen-urls.js';
import { seenServers } from './seen-servers.js';
import { SeenHosts } from './seen-hosts.js';
import type { Resolver } from '../../net/dns/resolver.js';

/** A change that has not been made yet; `null`: there is no rule before, or after it. */
export interface IntendedChange {
  before: RuleDraft | null;
  after: RuleDraft | null;
}

/** What a change would do to some addresses. */
export interface TrialCount {
  count: number;
  /** The newest of them. */
  examples: readonly string[];
}

/** What a change would have done to the latest addresses. */
export interface RuleTrialResult {
  /** How many addresses it was tried on. */
  looked: number;
  /** Of those, how many could not be judged, since their names were not looked up. */
  unjudged: number;
  /** Whether time ran out before all were looked at. */
  isCut: boolean;
  newlyRefused: TrialCount;
  newlyAllowed: TrialCount;
}

export interface RuleTrialOptions {
  database: Database;
  resolver: Resolver;
  /** What holds of a list now, of the configuration and of operators. */
  inEffect: (list: RuleList) => readonly RuleValue[];
  /** With a proxy, names are resolved there and addresses are not judged here. */
  usesProxy: boolean;
  monotonicNowMs: () => number;
  /** How many of the latest addresses a change is tried on; absent: `TRIED_ADDRESSES`. */
  maxAddresses?: number;
}

export const TRIED_ADDRESSES = 10_000;
const MAX_EXAMPLES = 5;
const MAX_MS = 10_000;
/** After so long the event loop gets its turn. */
const SLICE_MS = 8;

/** Whether an address is refused before and after a change; `null`: nobody can tell. */
type Judge = (seen: SeenUrl) => Promise<{ before: boolean; after: boolean } | null>;

/** What a change of the rules would have done, without making it. */
export class RuleTrial {
  constructor(private readonly options: RuleTrialOptions) {}

  /** Takes ten seconds at most; a pattern that is slow takes turns with everything else. */
  async try(change: IntendedChange, signal?: AbortSignal): Promise<RuleTrialResult> {
    const { database, monotonicNowMs, maxAddresses = TRIED_ADDRESSES } = this.options;
    const list = (change.after ?? change.before)?.list ?? 'url_preview_url_blacklist';
    const isAboutKeys = list === 'ip_range_blacklist' || list === 'ip_range_whitelist';
    const judge = isUrlList(list) ? this.#urlJudge(change) : this.#addressJudge(list, change);
    const seen = isAboutKeys ? seenServers(database, maxAddresses) : seenUrls(database, maxAddresses);
    const counts = new TrialCounts();
    const endMs = monotonicNowMs() + MAX_MS;
    let sliceMs = monotonicNowMs();
    for await (const one of seen) {
      signal?.throwIfAborted();
      counts.count(one.url, await judge(one));
      if (monotonicNowMs() > endMs) return counts.result(true);
      if (monotonicNowMs() - sliceMs < SLICE_MS) continue;
      await nextTurn();
      sliceMs = monotonicNowMs();
    }
    return counts.result(false);
  }

  /** The changed rule alone is tried first: most addresses have nothing to do with it. */
  #urlJudge(change: IntendedChange): Judge {
    const both = [change.before, change.after].flatMap((draft) => holding(draft));
    const touched = new UrlRules(both.filter((value) => typeof value !== 'string'));
    const [before, after] = [this.#urlRules(null), this.#urlRules(change)];
    return async ({ url }) => {
      if (touched.match(url) === null) return { before: false, after: false };
      return { before: before.match(url) !== null, after: after.match(url) !== null };
    };
  }

  #urlRules(change: IntendedChange | null): UrlRules {
    const of = (list: RuleList): UrlRule[] =>
      this.#entries(list, change).filter((value) => typeof value !== 'string');
    return new UrlRules(of('url_preview_url_blacklist'), of('url_preview_url_whitelist'));
  }

  #addressJudge(list: RuleList, change: IntendedChange): Judge {
    const prefix = list.startsWith('url_preview_') ? 'url_preview_ip_range' : 'ip_range';
    const policyOf = (made: IntendedChange | null): AddressPolicy => {
      const of = (entries: readonly RuleValue[]) =>
        compileAddressRanges(entries.filter((value) => typeof value === 'string'));
      return new AddressPolicy({
        blacklist: of(this.#entries(`${prefix}_blacklist`, made)),
        whitelist: of(this.#entries(`${prefix}_whitelist`, made)),
      });
    };
    const [before, after] = [policyOf(null), policyOf(change)];
    const hosts = new SeenHosts(this.options);
    return async (seen) => {
      const addresses = await hosts.addressesOf(seen);
      if (addresses === null) return null;
      const isRefused = (policy: AddressPolicy): boolean =>
        addresses.some((address) => policy.verdict(address) === 'blocked');
      return { before: isRefused(before), after: isRefused(after) };
    };
  }

  /** A list as it is, or with a change made. */
  #entries(list: RuleList, change: IntendedChange | null): RuleValue[] {
    const entries = [...this.options.inEffect(list)];
    if (change === null || (change.after ?? change.before)?.list !== list) return entries;
    const [gone] = holding(change.before);
    const at = entries.findIndex((entry) => JSON.stringify(entry) === JSON.stringify(gone));
    if (at !== -1) entries.splice(at, 1);
    return [...entries, ...holding(change.after)];
  }
}

function holding(draft: RuleDraft | null): RuleValue[] {
  return draft?.isEnabled === true ? [draft.value] : [];
}

class TrialCounts {
  #looked = 0;
  #unjudged = 0;
  readonly #refused: { count: number; examples: string[] } = { count: 0, examples: [] };
  readonly #allowed: { count: number; examples: string[] } = { count: 0, examples: [] };

  count(url: string, judged: { before: boolean; after: boolean } | null): void {
    this.#looked += 1;
    if (judged === null) this.#unjudged += 1;
    if (judged === null || judged.before === judged.after) return;
    const side = judged.after ? this.#refused : this.#allowed;
    side.count += 1;
    if (side.examples.length < MAX_EXAMPLES) side.examples.push(url);
  }

  result(isCut: boolean): RuleTrialResult {
    const sides = { newlyRefused: this.#refused, newlyAllowed: this.#allowed };
    return { looked: this.#looked, unjudged: this.#unjudged, isCut, ...sides };
  }
}
