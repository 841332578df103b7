import { ALWAYS_BLOCKED, type AddressJudgement } from '../../net/address/address-policy.js';
import { addressRuleText, urlRuleText } from '../../preview/rules/rule-text.js';
import type { UrlRule } from '../../preview/rules/url-pattern.js';
import type { AddedRule, RuleList } from './added-rule.js';
import {
  BUILT_IN,
  isInEffect,
  keyedRules,
  partsOf,
  ruleSource,
  type BlockRule,
  type RuleKind,
  type RulePart,
} from './block-rule.js';

/** A list of the configuration, with what stands in it there. */
export interface ListedSetting<Entry> {
  /** Name of the setting. */
  setting: string;
  entries: readonly Entry[];
  /** Where an entry stands; `null` when the list is the default. */
  originOf: (position: number) => string | null;
}

/** Everything that refuses something, as configured. */
export interface RuleSources {
  urlRules: ListedSetting<UrlRule>;
  urlExceptions: ListedSetting<UrlRule>;
  previewDeny: ListedSetting<string>;
  previewAllow: ListedSetting<string>;
  keyDeny: ListedSetting<string>;
  keyAllow: ListedSetting<string>;
  /** Empty when the whitelist is not set: then nothing is refused. */
  federation: ListedSetting<string>;
  /** What operators added to these lists. */
  added: readonly AddedRule[];
}

/** All rules, for operators; the matchers themselves are elsewhere and get the same entries. */
export class RuleRegistry {
  #sources: RuleSources;
  #rules: readonly BlockRule[];
  #byKey: ReadonlyMap<string, BlockRule>;
  #byHitText: ReadonlyMap<string, BlockRule>;

  constructor(sources: RuleSources) {
    this.#sources = sources;
    this.#rules = rulesOf(sources);
    this.#byKey = new Map(this.#rules.map((rule) => [rule.key, rule]));
    this.#byHitText = hitTexts(this.#rules);
  }

  /** Takes other lists from now on. */
  replace(sources: RuleSources): void {
    const registry = new RuleRegistry(sources);
    this.#sources = sources;
    this.#rules = registry.#rules;
    this.#byKey = registry.#byKey;
    this.#byHitText = registry.#byHitText;
  }

  /** Rules of one kind, or all, in the order of their lists. */
  list(kind: RuleKind | null = null): readonly BlockRule[] {
    return kind === null ? this.#rules : this.#rules.filter((rule) => rule.kind === kind);
  }

  /** `null` when it stands in no list any more. */
  find(key: string): BlockRule | null {
    return this.#byKey.get(key) ?? null;
  }

  /** The rule that a kept refusal names; `null` when it stands in no list any more. */
  findByHit(hitText: string): BlockRule | null {
    return this.#byHitText.get(hitText) ?? null;
  }

  /** Of the URL rules in effect, or their exceptions, the one at a position. */
  urlRule(position: number, kind: 'url_pattern' | 'url_allow' = 'url_pattern'): BlockRule | null {
    return this.list(kind).filter(isInEffect)[position] ?? null;
  }

  /** The rule that a judgement on an address rests on; `null` when no rule names it. */
  addressRule({ list, range }: AddressJudgement, asked: 'previews' | 'keys' = 'previews'): BlockRule | null {
    if (list === null || range === null) return null;
    const { previewDeny, previewAllow, keyDeny, keyAllow } = this.#sources;
    const [deny, allow] = asked === 'keys' ? [keyDeny, keyAllow] : [previewDeny, previewAllow];
    const setting = list === 'always' ? BUILT_IN : (list === 'blacklist' ? deny : allow).setting;
    const isIt = (rule: BlockRule): boolean =>
      rule.setting === setting && rule.parts[0]?.pattern === range && isInEffect(rule);
    return this.#rules.find(isIt) ?? null;
  }

  /** Where the rule stands that a judgement rests on, in words; `null` when no rule names the address. */
  addressSource(judgement: AddressJudgement, asked: 'previews' | 'keys'): string | null {
    const rule = this.addressRule(judgement, asked);
    return rule === null ? null : ruleSource(rule);
  }
}

function rulesOf(sources: RuleSources): BlockRule[] {
  const { urlRules, urlExceptions, previewDeny, previewAllow, keyDeny, keyAllow, federation, added } =
    sources;
  const previewHits = (entry: string): string => addressRuleText(previewDeny.setting, entry);
  return keyedRules([
    ...rulesIn(urlRules, { kind: 'url_pattern', parts: partsOf, hitText: urlRuleText, added }),
    ...rulesIn(urlExceptions, { kind: 'url_allow', parts: partsOf, hitText: null, added }),
    ...rulesIn(previewDeny, { kind: 'ip_deny', parts: partsOf, hitText: previewHits, added }),
    ...rulesIn(previewAllow, { kind: 'ip_allow', parts: partsOf, hitText: null, added }),
    ...rulesIn(keyDeny, { kind: 'ip_deny', parts: partsOf, hitText: null, added }),
    ...rulesIn(keyAllow, { kind: 'ip_allow', parts: partsOf, hitText: null, added }),
    ...rulesIn(builtIn(ALWAYS_BLOCKED), { kind: 'ip_deny', parts: partsOf, hitText: previewHits, added: [] }),
    ...rulesIn(federation, { kind: 'federation_allow', parts: serverName, hitText: null, added: [] }),
  ]);
}

/** A rule of operators by itself, in whatever state; its place among the others is not known. */
export function addedBlockRule(added: AddedRule): BlockRule {
  const kinds: Record<RuleList, RuleKind> = {
    url_preview_url_blacklist: 'url_pattern',
    url_preview_url_whitelist: 'url_allow',
    url_preview_ip_range_blacklist: 'ip_deny',
    url_preview_ip_range_whitelist: 'ip_allow',
    ip_range_blacklist: 'ip_deny',
    ip_range_whitelist: 'ip_allow',
  };
  const { list, value, createdBy } = added;
  const [rule] = keyedRules([
    {
      kind: kinds[list],
      setting: list,
      position: 0,
      parts: partsOf(value),
      origin: `added by ${createdBy}`,
      added,
      hitText: null,
    },
  ]);
  if (rule === undefined) throw new Error('one rule in, one rule out');
  return rule;
}

interface Reading<Entry> {
  kind: RuleKind;
  parts: (entry: Entry) => RulePart[];
  hitText: ((entry: Entry) => string) | null;
  added: readonly AddedRule[];
}

/** Those of the configuration, then those of operators. */
function rulesIn<Entry extends UrlRule | string>(
  { setting, entries, originOf }: ListedSetting<Entry>,
  { kind, parts, hitText, added }: Reading<Entry>,
): Omit<BlockRule, 'key'>[] {
  const own = added.filter(({ list }) => list === setting);
  const all = [
    ...entries.map((entry, position) => ({ entry, rule: null, origin: originOf(position) ?? BUILT_IN })),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a list's entries are of one form, which was checked
    ...own.map((rule) => ({ entry: rule.value as Entry, rule, origin: `added by ${rule.createdBy}` })),
  ];
  return all.map(({ entry, rule, origin }, position) => ({
    kind,
    setting,
    position,
    parts: parts(entry),
    origin,
    added: rule,
    hitText: hitText?.(entry) ?? null,
  }));
}

function builtIn(entries: readonly string[]): ListedSetting<string> {
  return { setting: BUILT_IN, entries, originOf: () => null };
}

const serverName = (pattern: string): RulePart[] => [{ component: 'server_name', pattern, syntax: 'name' }];

/** Of the same entry twice, the first one refuses, and one that holds before one that does not. */
function hitTexts(rules: readonly BlockRule[]): Map<string, BlockRule> {
  const found = new Map<string, BlockRule>();
  for (const rule of [...rules.filter(isInEffect), ...rules]) {
    if (rule.hitText !== null && !found.has(rule.hitText)) found.set(rule.hitText, rule);
  }
  return found;
}
