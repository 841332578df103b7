import { ApiError } from '../../base/errors/api-error.js';
import type { AddressJudgement, AddressPolicy } from '../../net/address/address-policy.js';
import { isIpLiteral } from '../../net/address/ip-address.js';
import type { Resolver } from '../../net/dns/dns-resolver.js';
import type { UrlRules, UrlRuleTrial } from '../../preview/rules/url-rules.js';
import { ruleSource, type BlockRule, type RuleRegistry } from './rule-registry.js';

/** What a check is made with: what previews are judged by, and the rule registry. */
export interface UrlCheckOptions {
  rules: UrlRules;
  policy: AddressPolicy;
  resolver: Resolver;
  registry: RuleRegistry;
  /** With a proxy, names are resolved there and addresses are not judged here. */
  usesProxy: boolean;
}

/** One address and what is thought of it. */
interface CheckedAddress {
  address: string;
  allowed: boolean;
  /** The rule that decided; `null` when none names the address. */
  rule: BlockRule | null;
}

const NOTHING = { matches: [], addresses: [] };

/** Dry evaluation of addresses against all rules, by the very matchers that previews use. */
export class UrlCheck {
  constructor(private readonly options: UrlCheckOptions) {}

  /** Asks the name server when `resolve` is set, and nobody else: no request goes to the target. */
  async check(url: string, { resolve }: { resolve: boolean }) {
    const { rules, registry } = this.options;
    const trial = url.includes('\0') ? null : rules.explain(url);
    if (trial === null) {
      const message = 'This is not a URL; a request for it is answered with 400.';
      return { url, blocked: true, message, ...NOTHING };
    }
    const matches = trial.indexes.flatMap((index) => registry.list('url_pattern')[index] ?? []);
    const { addresses, error } = await this.#addresses(trial, resolve);
    const exception = trial.exception === null ? null : (registry.list('url_allow')[trial.exception] ?? null);
    const isRefused = trial.indexes.length > 0 && trial.exception === null;
    const blocked = isRefused || addresses.some(({ allowed }) => !allowed);
    const message = messageOf({ matches, exception, addresses, error });
    return { url, blocked, message, matches, addresses };
  }

  /** A name is refused as a whole when one of its addresses is. */
  async #addresses(
    { fetched }: UrlRuleTrial,
    resolve: boolean,
  ): Promise<{ addresses: CheckedAddress[]; error: string | null }> {
    const host = fetched?.hostname ?? null;
    const isWeb = fetched?.scheme === 'http' || fetched?.scheme === 'https';
    if (host === null || !isWeb) return { addresses: [], error: 'The URL has no host.' };
    if (this.options.usesProxy) {
      return { addresses: [], error: 'The proxy resolves names and checks addresses itself.' };
    }
    if (isIpLiteral(host)) return { addresses: [this.#judge(host)], error: null };
    if (!resolve) return { addresses: [], error: null };
    try {
      const { addresses } = await this.options.resolver.lookup(host);
      const error = addresses.length === 0 ? `The name ${host} has no address.` : null;
      return { addresses: addresses.map(({ address }) => this.#judge(address)), error };
    } catch (error) {
      const why = error instanceof ApiError ? (error.detail ?? error.message) : 'the look-up failed';
      return { addresses: [], error: `The name ${host} could not be resolved: ${why}.` };
    }
  }

  #judge(address: string): CheckedAddress {
    const judgement: AddressJudgement = this.options.policy.judge(address);
    return {
      address,
      allowed: judgement.verdict === 'allowed',
      rule: this.options.registry.addressRule(judgement),
    };
  }
}

function messageOf({
  matches: [match],
  exception,
  addresses,
  error,
}: {
  matches: readonly BlockRule[];
  addresses: readonly CheckedAddress[];
  exception: BlockRule | null;
  error: string | null;
}): string {
  if (match !== undefined && exception === null) return `Blocked by ${ruleSource(match)}.`;
  const refused = addresses.find(({ allowed }) => !allowed);
  if (refused !== undefined) {
    const { rule } = refused;
    const by = rule === null ? '' : ` by ${rule.parts[0]?.pattern ?? ''}, ${ruleSource(rule)}`;
    return `Blocked: the address ${refused.address} is refused${by}.`;
  }
  const none = exception === null ? 'No rule matches' : `Allowed by ${ruleSource(exception)}`;
  const clear = addresses.length === 0 ? `${none}.` : `${none}, and its addresses are allowed.`;
  return error === null ? clear : `${clear} ${error}`;
}
