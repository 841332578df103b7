import { RE2JS } from 're2js';
import { compileGlob } from './glob.js';

/** Parts of a split URL that a rule may name; SPEC §2.4. */
export const URL_COMPONENTS = [
  'scheme',
  'netloc',
  'hostname',
  'port',
  'path',
  'query',
  'fragment',
  'username',
  'password',
] as const;

export type UrlComponent = (typeof URL_COMPONENTS)[number];

/** One entry of `url_preview_url_blacklist`: patterns by component; SPEC §2.4. */
export type UrlRule = Readonly<Partial<Record<UrlComponent, string>>>;

/** Several rules that count as one entry, which hits name by `text`. */
export interface AnyUrlRule {
  anyOf: readonly UrlRule[];
  text: string;
}

/** What the matcher takes as one entry. */
export type UrlRuleEntry = UrlRule | AnyUrlRule;

/** A pattern ready to be tried on one component value. */
export type UrlPattern = (value: string) => boolean;

/**
 * Compiles one pattern of a URL rule; SPEC §4.7.1. With a leading `^` it is a regular expression matched from
 * the start of the value (not to its end), in an engine of linear time; else a shell pattern for the whole value.
 * Throws an Error whose message says what the engine does not take (look-around, back-references, bad syntax).
 */
export function compileUrlPattern(pattern: string): UrlPattern {
  if (!pattern.startsWith('^')) return compileGlob(pattern);
  const expression = RE2JS.compile(pattern);
  return (value) => expression.matcher(value).lookingAt();
}

/** How a URL rule is kept with the addresses it refused: the entry as JSON. */
export function urlRuleText(rule: UrlRule): string {
  return JSON.stringify(rule);
}

/** How a range of addresses is kept with what it refused; `range` is `null` when it is not known any more. */
export function addressRuleText(setting: string, range: string | null): string {
  return range === null ? setting : `${setting}: ${range}`;
}
