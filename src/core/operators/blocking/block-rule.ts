import { createHash } from 'node:crypto';

import { URL_COMPONENTS } from '../../preview/rules/url-pattern.js';
import type { AddedRule, RuleValue } from './added-rule.js';

/** What a rule does; the last one allows the servers it names to be asked for keys. */
export const RULE_KINDS = ['url_pattern', 'url_allow', 'ip_deny', 'ip_allow', 'federation_allow'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** How the pattern of a part is read. */
export type PatternSyntax = 'regex' | 'wildcard' | 'cidr' | 'name';

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
  /** What operators added; `null`: it stands in the configuration, and only there it is changed. */
  added: AddedRule | null;
  /** How blacklist_hit names it; `null` for rules whose refusals are not kept. */
  hitText: string | null;
}

/** One condition of a rule. */
export interface RulePart {
  /** A component of the URL, `address` or `server_name`. */
  component: string;
  pattern: string;
  syntax: PatternSyntax;
}

/** Origin, and setting, of what is no entry of the configuration. */
export const BUILT_IN = 'built in';

const KEY_CHARACTERS = 20;
const ADDED_KEY = 'added-';

/** The id of a rule of operators by its key; `null` for keys of others. */
export function addedIdOf(key: string): number | null {
  const digits = key.startsWith(ADDED_KEY) ? key.slice(ADDED_KEY.length) : '';
  return /^\d{1,9}$/.test(digits) ? Number(digits) : null;
}

/** Whether it counts when something is judged. */
export function isInEffect({ added }: Pick<BlockRule, 'added'>): boolean {
  return added === null || added.standing === 'in_effect';
}

/** The conditions of an entry of a list of URL rules or of ranges. */
export function partsOf(value: RuleValue): RulePart[] {
  if (typeof value === 'string') return [{ component: 'address', pattern: value, syntax: 'cidr' }];
  return URL_COMPONENTS.flatMap((component) => {
    const pattern = value[component];
    if (pattern === undefined) return [];
    return [{ component, pattern, syntax: pattern.startsWith('^') ? 'regex' : 'wildcard' }];
  });
}

/** Where it stands, in words: `entry 3 of url_preview_url_blacklist (config.yaml:12)`, `a rule added by ana`. */
export function ruleSource({
  setting,
  position,
  origin,
  added,
}: Pick<BlockRule, 'setting' | 'position' | 'origin' | 'added'>): string {
  if (added !== null) return `rule ${added.id} of ${setting}, ${origin} on the page Blocking`;
  return setting === BUILT_IN ? 'what is built in' : `entry ${position} of ${setting} (${origin})`;
}

/** Gives rules of one list their keys: from what they say, with a number for the same entry again. */
export function keyedRules(rules: readonly Omit<BlockRule, 'key'>[]): BlockRule[] {
  const seen = new Map<string, number>();
  return rules.map((rule) => {
    if (rule.added !== null) return { ...rule, key: `${ADDED_KEY}${rule.added.id}` };
    const text = JSON.stringify([
      rule.setting,
      rule.kind,
      rule.parts.map(({ component, pattern }) => [component, pattern]),
    ]);
    const key = createHash('sha256').update(text).digest('base64url').slice(0, KEY_CHARACTERS);
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return { ...rule, key: times === 1 ? key : `${key}-${times}` };
  });
}
