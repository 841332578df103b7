import { LRUCache } from 'lru-cache';

import { ownText } from '../../base/runtime/own-text.js';
import { normalizedParts, splitUrl, type UrlParts } from './split-url.js';
import {
  compileUrlPattern,
  URL_COMPONENTS,
  urlRuleText,
  type UrlComponent,
  type UrlPattern,
  type UrlRule,
  type UrlRuleEntry,
} from './url-pattern.js';

/** The first entry that matched. */
export interface UrlRuleMatch {
  /** Position in the list, from 0. */
  index: number;
  /** The entry as JSON, for operators. */
  rule: string;
}

/** One URL as the matcher sees it, and every entry that matches. */
export interface UrlRuleTrial {
  written: UrlParts;
  /** As it will be fetched; `null` when it cannot be. */
  fetched: UrlParts | null;
  /** Positions in the list, from 0. */
  indexes: readonly number[];
  /** Position of the exception that allows it in spite of them, from 0; `null` when there is none. */
  exception: number | null;
}

type CompiledPatterns = readonly (readonly [component: UrlComponent, matches: UrlPattern])[];

interface CompiledRule {
  /** One of them has to match. */
  anyOf: readonly CompiledPatterns[];
  text: string;
}

/** Links of a room's last minutes; two megabytes at most. */
const MAX_PASSED = 1000;
const MAX_PASSED_CHARACTERS = 1000;

/**
 * URL rules, SPEC §4.7.1. An entry matches when every component it names has a value and that value matches; it is
 * tried on the URL as written and, so that no spelling evades it, on the URL as it will be fetched. For the same reason
 * an exception has to match both.
 */
export class UrlRules {
  #rules: readonly CompiledRule[];
  #exceptions: readonly CompiledRule[];
  /** URLs that no entry matches: the same links are asked for again and again, and the rules may be many. */
  readonly #passed = new LRUCache<string, true>({ max: MAX_PASSED });

  /** Throws an Error when a pattern cannot be compiled. */
  constructor(rules: readonly UrlRuleEntry[], exceptions: readonly UrlRule[] = []) {
    this.#rules = rules.map(compileRule);
    this.#exceptions = exceptions.map(compileRule);
  }

  /** Takes other entries from now on. Throws, and keeps the old ones, when a pattern cannot be compiled. */
  replace(rules: readonly UrlRuleEntry[], exceptions: readonly UrlRule[] = []): void {
    const compiled = exceptions.map(compileRule);
    this.#rules = rules.map(compileRule);
    this.#exceptions = compiled;
    this.#passed.clear();
  }

  /** Everything an operator may ask about one URL; `null` for what is not a URL at all. */
  explain(url: string): UrlRuleTrial | null {
    const written = splitUrl(url);
    if (written === null) return null;
    const fetched = normalizedParts(url);
    const indexes = this.#rules.flatMap((rule, index) =>
      matches(rule, written) || (fetched !== null && matches(rule, fetched)) ? [index] : [],
    );
    const exception = indexes.length === 0 ? -1 : this.#exceptionFor(written, fetched);
    return { written, fetched, indexes, exception: exception === -1 ? null : exception };
  }

  /**
   * The first entry that matches, null when none does or an exception does, too, `unsplittable` for what is not a URL at
   * all.
   */
  match(url: string): UrlRuleMatch | 'unsplittable' | null {
    if (this.#passed.get(url) === true) return null;
    const match = this.#firstMatch(url);
    if (match === null && url.length <= MAX_PASSED_CHARACTERS) this.#passed.set(ownText(url), true);
    return match;
  }

  #firstMatch(url: string): UrlRuleMatch | 'unsplittable' | null {
    const found = this.explain(url);
    if (found === null) return 'unsplittable';
    const [index = -1] = found.indexes;
    const rule = this.#rules[index];
    return rule === undefined || found.exception !== null ? null : { index, rule: rule.text };
  }

  #exceptionFor(written: UrlParts, fetched: UrlParts | null): number {
    if (fetched === null || this.#exceptions.length === 0) return -1;
    // As written, http://host has no path; it is fetched as /.
    const full = { ...written, path: written.path === '' ? '/' : written.path };
    return this.#exceptions.findIndex((rule) => matches(rule, full) && matches(rule, fetched));
  }
}

function compileRule(entry: UrlRuleEntry): CompiledRule {
  if ('anyOf' in entry) return { anyOf: entry.anyOf.map(compilePatterns), text: entry.text };
  return { anyOf: [compilePatterns(entry)], text: urlRuleText(entry) };
}

function compilePatterns(rule: UrlRule): CompiledPatterns {
  return URL_COMPONENTS.flatMap((component) => {
    const pattern = rule[component];
    return pattern === undefined ? [] : [[component, compileUrlPattern(pattern)] as const];
  });
}

function matches({ anyOf }: CompiledRule, parts: UrlParts): boolean {
  return anyOf.some((patterns) =>
    patterns.every(([component, pattern]) => {
      const value = parts[component];
      return value !== null && pattern(value);
    }),
  );
}
