import type { UrlRule } from './url-pattern.js';

/** How a URL rule is kept with the addresses it refused: the entry as JSON. */
export function urlRuleText(rule: UrlRule): string {
  return JSON.stringify(rule);
}

/** How a range of addresses is kept with what it refused; `range` is `null` when it is not known any more. */
export function addressRuleText(setting: string, range: string | null): string {
  return range === null ? setting : `${setting}: ${range}`;
}
