import { createHash } from 'node:crypto';

import { ALWAYS_BLOCKED, type AddressJudgement } from '../../net/address/address-policy.js';
import {
  addressRuleText,
  URL_COMPONENTS,
  urlRuleText,
  type UrlRule,
} from '../../preview/rules/url-pattern.js';
import { type AddedRule, partsOf } from './added-rules.js';

/** What a rule does; the last one allows the servers it names to be asked for keys. */
export type RuleKind = 'url_pattern' | 'url_allow' | 'ip_deny' | 'ip_allow' | 'federation_allow';

/** One condition of a rule. */
export interface RulePart {
  /** A component of the URL, `address` or `server_name`. */
  component: string;
  pattern: string;
}

/** One entry of a list of the configuration, of operators beside it, or of what is built in. */
export interface BlockRule {
  /** Stays the same as long as the entry stands in its list, whatever else changes there. */
  key: string;
  kind: RuleKind;
  /** The setting it stands in; `built in` for what no setting can change. */
  setting: string;
  /** Position in the list, from 0; those of operators come after those of the configuration. */
  position: number;
  /** All of them have to match. */
  parts: readonly RulePart[];
  /** `config.yaml:12`, the name of an environment variable, `added by NAME`, or `built in`. */
  origin: string;
  /** `null`: it stands in the configuration, and only there it is changed. */
  added: AddedRule | null;
  /** How blacklist_hit names it; `null` for rules whose refusals are not kept. */
  hitText: string | null;
}

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
  /** What operators added to the first list. */
  added: readonly AddedRule[];
}

const BUILT_IN = 'built in';

/** Where a rule stands, in words: `entry 3 of url_preview_url_blacklist (config.yaml:12)`. */
export function ruleSource({ setting, position, origin, added }: Omit<BlockRule, 'key'>): string {
  if (added !== null) return `a pattern ${origin} on the page Blocking`;
  return setting === BUILT_IN ? 'what is built in' : `entry ${position + 1} of ${setting} (${origin})`;
}

/** All rules, for operators; the matchers themselves are elsewhere and get the same entries. */
export class RuleRegistry {
  #sources: RuleSources;
  #rules: readonly BlockRule[];

  constructor(sources: RuleSources) {
    this.#sources = sources;
    this.#rules = rulesOf(sources);
  }

  /** Takes other lists from now on. */
  replace(sources: RuleSources): void {
    this.#sources = sources;
    this.#rules = rulesOf(sources);
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

  /** Of the URL rules, or their exceptions, the one at a position. */
  urlRule(position: number, kind: 'url_pattern' | 'url_allow' = 'url_pattern'): BlockRule | null {
    return this.list(kind)[position] ?? null;
  }

  /** The rule that a judgement on an address rests on; `null` when no rule names it. */
  addressRule({ list, range }: AddressJudgement, asked: 'previews' | 'keys' = 'previews'): BlockRule | null {
    if (list === null || range === null) return null;
    const { previewDeny, previewAllow, keyDeny, keyAllow } = this.#sources;
    const [deny, allow] = asked === 'keys' ? [keyDeny, keyAllow] : [previewDeny, previewAllow];
    const setting = list === 'always' ? BUILT_IN : (list === 'blacklist' ? deny : allow).setting;
    return this.#rules.find((rule) => rule.setting === setting && rule.parts[0]?.pattern === range) ?? null;
  }

  /** Where the rule stands that a judgement rests on, in words; `null` when no rule names the address. */
  addressSource(judgement: AddressJudgement, asked: 'previews' | 'keys'): string | null {
    const rule = this.addressRule(judgement, asked);
    return rule === null ? null : ruleSource(rule);
  }
}

type KeylessRule = Omit<BlockRule, 'key'>;

function rulesOf(sources: RuleSources): BlockRule[] {
  const { urlRules, urlExceptions, previewDeny, previewAllow, keyDeny, keyAllow, federation } = sources;
  const previewHits = (entry: string): string => addressRuleText(previewDeny.setting, entry);
  const addressParts = (pattern: string): RulePart[] => [{ component: 'address', pattern }];
  const noHits = (): null => null;
  const always = { setting: BUILT_IN, entries: ALWAYS_BLOCKED, originOf: () => null };
  return withKeys([
    ...rulesIn(urlRules, 'url_pattern', { parts: urlParts, hitText: urlRuleText }),
    ...sources.added.map((added, index) => addedBlockRule(added, urlRules.entries.length + index)),
    ...rulesIn(urlExceptions, 'url_allow', { parts: urlParts, hitText: noHits }),
    ...rulesIn(previewDeny, 'ip_deny', { parts: addressParts, hitText: previewHits }),
    ...rulesIn(previewAllow, 'ip_allow', { parts: addressParts, hitText: noHits }),
    ...rulesIn(keyDeny, 'ip_deny', { parts: addressParts, hitText: noHits }),
    ...rulesIn(keyAllow, 'ip_allow', { parts: addressParts, hitText: noHits }),
    ...rulesIn(always, 'ip_deny', { parts: addressParts, hitText: previewHits }),
    ...rulesIn(federation, 'federation_allow', {
      parts: (pattern) => [{ component: 'server_name', pattern }],
      hitText: noHits,
    }),
  ]);
}

function urlParts(rule: UrlRule): RulePart[] {
  return URL_COMPONENTS.flatMap((component) => {
    const pattern = rule[component];
    return pattern === undefined ? [] : [{ component, pattern }];
  });
}

function rulesIn<Entry>(
  { setting, entries, originOf }: ListedSetting<Entry>,
  kind: RuleKind,
  { parts, hitText }: { parts: (entry: Entry) => RulePart[]; hitText: (entry: Entry) => string | null },
): KeylessRule[] {
  return entries.map((entry, position) => ({
    kind,
    setting,
    position,
    parts: parts(entry),
    origin: originOf(position) ?? BUILT_IN,
    added: null,
    hitText: hitText(entry),
  }));
}

function addedBlockRule(added: AddedRule, position: number): KeylessRule {
  const rule = partsOf(added.pattern);
  return {
    kind: 'url_pattern',
    setting: 'url_preview_url_blacklist',
    position,
    parts: urlParts(rule),
    origin: `added by ${added.createdBy}`,
    added,
    hitText: urlRuleText(rule),
  };
}

const KEY_CHARACTERS = 20;

/** Gives rules their keys: from what they say, with a number for the same entry again. */
function withKeys(rules: readonly KeylessRule[]): BlockRule[] {
  const seen = new Map<string, number>();
  return rules.map((rule) => {
    if (rule.added !== null) return { ...rule, key: `added-${rule.added.id}` };
    const parts = rule.parts.map(({ component, pattern }) => [component, pattern]);
    const text = JSON.stringify([rule.setting, rule.kind, parts]);
    const key = createHash('sha256').update(text).digest('base64url').slice(0, KEY_CHARACTERS);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return { ...rule, key: times === 1 ? key : `${key}-${times}` };
  });
}
