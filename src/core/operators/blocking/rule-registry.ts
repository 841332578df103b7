import { ALWAYS_BLOCKED, type AddressJudgement } from '../../net/address/address-policy.js';
import { addressRuleText, URL_COMPONENTS, urlRuleText, type UrlRule } from '../../preview/rules/url-rules.js';
import { type AddedRule, partsOf } from './added-rules.js';

/** What a rule does; the last one allows the servers it names to be asked for keys. */
export type RuleKind = 'url_pattern' | 'url_allow' | 'ip_deny' | 'ip_allow' | 'federation_allow';

/** One entry of a list of the configuration, of operators beside it, or of the built-in list. */
export interface BlockRule {
  /** Its list and position, or the number of a rule that an operator added. */
  key: string;
  kind: RuleKind;
  /** The setting it stands in; `built in` for what no setting can change. */
  setting: string;
  /** Position in the list, from 0; those of operators come after those of the configuration. */
  position: number;
  /** All of them have to match: a component of the URL, `address` or `server_name`. */
  parts: readonly { component: string; pattern: string }[];
  /** `config.yaml:12`, the name of an environment variable, `added by NAME`, or `built in`. */
  origin: string;
  /** `null`: it stands in the configuration, and only there it is changed. */
  added: AddedRule | null;
  /** How blacklist_hit names it; `null` for rules whose refusals are not kept. */
  hitText: string | null;
}

/** A list of the configuration, with what stands in it there. */
export interface RuleList {
  kind: RuleKind;
  /** Name of the setting. */
  setting: string;
  entries: readonly (UrlRule | string)[];
  /** Where an entry stands; `null` when the list is the default. */
  originOf: (position: number) => string | null;
}

const BUILT_IN = 'built in';
/** Of the address rules, those of previews have their hits kept. */
const PREVIEW_DENY = 'url_preview_ip_range_blacklist';

const ALWAYS = { kind: 'ip_deny', setting: BUILT_IN, entries: ALWAYS_BLOCKED, originOf: () => null } as const;

/** Where a rule stands, in words: `entry 3 of url_preview_url_blacklist (config.yaml:12)`. */
export function ruleSource({ setting, position, origin, added }: BlockRule): string {
  if (added !== null) return `a pattern ${origin} on the page Blocking`;
  return setting === BUILT_IN ? 'the built-in list' : `entry ${position + 1} of ${setting} (${origin})`;
}

/** All rules, for operators; the matchers themselves are elsewhere and get the same entries. */
export class RuleRegistry {
  #rules: readonly BlockRule[] = [];

  constructor(lists: readonly RuleList[], added: readonly AddedRule[]) {
    this.replace(lists, added);
  }

  /** Takes other lists from now on, and what operators added to the first of the URL rules. */
  replace(lists: readonly RuleList[], added: readonly AddedRule[]): void {
    this.#rules = [...lists, ALWAYS].flatMap((list) => [
      ...list.entries.map((entry, position) => ruleOf(list, entry, position)),
      ...(list.kind === 'url_pattern' ? added.map((rule, at) => addedBlockRule(rule, list, at)) : []),
    ]);
  }

  /** Rules of one kind, or all, in the order of their lists. */
  list(kind: RuleKind | null = null): readonly BlockRule[] {
    return kind === null ? this.#rules : this.#rules.filter((rule) => rule.kind === kind);
  }

  /** `null` when it stands in no list any more. */
  find(key: string): BlockRule | null {
    return this.#rules.find((rule) => rule.key === key) ?? null;
  }

  /** The rule that a kept refusal names; `null` when it stands in no list any more. */
  findByHit(hitText: string): BlockRule | null {
    return this.#rules.find((rule) => rule.hitText === hitText) ?? null;
  }

  /** The rule that a judgement on an address rests on; `null` when no rule names it. */
  addressRule({ list, range }: AddressJudgement, asked: 'previews' | 'keys' = 'previews'): BlockRule | null {
    const prefix = asked === 'keys' ? 'ip_range' : 'url_preview_ip_range';
    const setting = list === 'always' ? BUILT_IN : `${prefix}_${list}`;
    return this.#rules.find((rule) => rule.setting === setting && rule.parts[0]?.pattern === range) ?? null;
  }

  /** Where the rule stands that a judgement rests on, in words; `null` when no rule names the address. */
  addressSource(judgement: AddressJudgement, asked: 'previews' | 'keys'): string | null {
    const rule = this.addressRule(judgement, asked);
    return rule === null ? null : ruleSource(rule);
  }
}

function ruleOf({ kind, setting, originOf }: RuleList, entry: UrlRule | string, position: number): BlockRule {
  const origin = originOf(position) ?? BUILT_IN;
  const rule = { key: `${setting}:${position}`, kind, setting, position, origin, added: null };
  if (typeof entry !== 'string')
    return { ...rule, parts: urlParts(entry), hitText: kind === 'url_pattern' ? urlRuleText(entry) : null };
  const component = kind === 'federation_allow' ? 'server_name' : 'address';
  const isKept = setting === PREVIEW_DENY || setting === BUILT_IN;
  const hitText = isKept ? addressRuleText(PREVIEW_DENY, entry) : null;
  return { ...rule, parts: [{ component, pattern: entry }], hitText };
}

function addedBlockRule(added: AddedRule, { kind, setting, entries }: RuleList, at: number): BlockRule {
  const rule = partsOf(added.pattern);
  const place = {
    key: `added-${added.id}`,
    position: entries.length + at,
    origin: `added by ${added.createdBy}`,
  };
  return { ...place, kind, setting, parts: urlParts(rule), added, hitText: urlRuleText(rule) };
}

function urlParts(rule: UrlRule): BlockRule['parts'] {
  return URL_COMPONENTS.flatMap((component) => {
    const pattern = rule[component];
    return pattern === undefined ? [] : [{ component, pattern }];
  });
}
