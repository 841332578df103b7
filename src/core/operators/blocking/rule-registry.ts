import { ALWAYS_BLOCKED, type AddressJudgement } from '../../net/address/address-policy.js';
import { addressRuleText, urlRuleText } from '../../preview/rules/rule-text.js';
import { URL_COMPONENTS, type UrlRule } from '../../preview/rules/url-pattern.js';
import { BUILT_IN, keyedRules, type BlockRule, type RuleKind, type RulePart } from './block-rule.js';

/** A list of the configuration. */
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
  previewDeny: ListedSetting<string>;
  previewAllow: ListedSetting<string>;
  keyDeny: ListedSetting<string>;
  keyAllow: ListedSetting<string>;
  /** Empty when the whitelist is not set: then nothing is refused. */
  federation: ListedSetting<string>;
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

  /** The URL rule at a position. */
  urlRule(position: number): BlockRule | null {
    return this.list('url_pattern')[position] ?? null;
  }

  /** The rule of previews that a judgement on an address rests on; `null` when no rule names it. */
  addressRule({ list, range }: AddressJudgement): BlockRule | null {
    if (list === null || range === null) return null;
    const { previewDeny, previewAllow } = this.#sources;
    const setting =
      list === 'always' ? BUILT_IN : (list === 'blacklist' ? previewDeny : previewAllow).setting;
    return this.#rules.find((rule) => rule.setting === setting && rule.parts[0]?.pattern === range) ?? null;
  }
}

function rulesOf(sources: RuleSources): BlockRule[] {
  const { urlRules, previewDeny, previewAllow, keyDeny, keyAllow, federation } = sources;
  const previewHits = (range: string): string => addressRuleText(previewDeny.setting, range);
  return keyedRules([
    ...rulesIn(urlRules, 'url_pattern', { parts: partsOfUrlRule, hitText: urlRuleText }),
    ...rulesIn(previewDeny, 'ip_deny', { parts: range, hitText: previewHits }),
    ...rulesIn(previewAllow, 'ip_allow', { parts: range, hitText: null }),
    ...rulesIn(keyDeny, 'ip_deny', { parts: range, hitText: null }),
    ...rulesIn(keyAllow, 'ip_allow', { parts: range, hitText: null }),
    ...rulesIn(builtIn(ALWAYS_BLOCKED), 'ip_deny', { parts: range, hitText: previewHits }),
    ...rulesIn(federation, 'federation_allow', { parts: serverName, hitText: null }),
  ]);
}

interface Reading<Entry> {
  parts: (entry: Entry) => RulePart[];
  hitText: ((entry: Entry) => string) | null;
}

function rulesIn<Entry>(
  { setting, entries, originOf }: ListedSetting<Entry>,
  kind: RuleKind,
  { parts, hitText }: Reading<Entry>,
): Omit<BlockRule, 'key'>[] {
  return entries.map((entry, position) => ({
    kind,
    setting,
    position,
    parts: parts(entry),
    origin: originOf(position) ?? BUILT_IN,
    hitText: hitText?.(entry) ?? null,
  }));
}

function builtIn(entries: readonly string[]): ListedSetting<string> {
  return { setting: BUILT_IN, entries, originOf: () => null };
}

function partsOfUrlRule(rule: UrlRule): RulePart[] {
  return URL_COMPONENTS.flatMap((component) => {
    const pattern = rule[component];
    if (pattern === undefined) return [];
    return [
      { component, pattern, syntax: pattern.startsWith('^') ? ('regex' as const) : ('wildcard' as const) },
    ];
  });
}

const range = (pattern: string): RulePart[] => [{ component: 'address', pattern, syntax: 'cidr' }];

const serverName = (pattern: string): RulePart[] => [{ component: 'server_name', pattern, syntax: 'name' }];

/** Of the same entry twice, the first one refuses. */
function hitTexts(rules: readonly BlockRule[]): Map<string, BlockRule> {
  const found = new Map<string, BlockRule>();
  for (const rule of rules) {
    if (rule.hitText !== null && !found.has(rule.hitText)) found.set(rule.hitText, rule);
  }
  return found;
}
