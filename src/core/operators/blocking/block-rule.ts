import { createHash } from 'node:crypto';

/** What a rule does; the last one allows the servers it names to be asked for keys. */
export type RuleKind = 'url_pattern' | 'ip_deny' | 'ip_allow' | 'federation_allow';

/** How the pattern of a part is read. */
export type PatternSyntax = 'regex' | 'wildcard' | 'cidr' | 'name';

/** One entry of a list of the configuration, or of what is built in. */
export interface BlockRule {
  /** Stays the same as long as the entry stands in its list, whatever else changes there. */
  key: string;
  kind: RuleKind;
  /** The setting it stands in; `built in` for what no setting can change. */
  setting: string;
  /** Position in the list, from 0. */
  position: number;
  /** All of them have to match. */
  parts: readonly RulePart[];
  /** `config.yaml:12`, the name of an environment variable, or `built in`. */
  origin: string;
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

/** Gives rules of one list their keys: from what they say, with a number for the same entry again. */
export function keyedRules(rules: readonly Omit<BlockRule, 'key'>[]): BlockRule[] {
  const seen = new Map<string, number>();
  return rules.map((rule) => {
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
