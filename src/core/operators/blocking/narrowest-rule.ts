import { normalizedParts, splitUrl, type UrlParts } from '../../preview/rules/split-url.js';
import { UrlRules } from '../../preview/rules/url-rules.js';
import type { UrlComponent, UrlRule } from '../../preview/rules/url-pattern.js';
import { checkDraft, type RuleDraft } from './added-rule.js';

/** What a refused address and nothing else has to say to be allowed. */
const TELLING: readonly UrlComponent[] = ['scheme', 'hostname', 'port', 'path', 'query'];
const MAX_EXACT_CHARACTERS = 400;

/** The narrowest exception from URL rules that allows a URL; `null` where an exception cannot name it. */
export function exceptionForUrl(url: string): RuleDraft | null {
  const [written, fetched] = [splitUrl(url), normalizedParts(url)];
  if (written === null || fetched === null || fetched.hostname === null) return null;
  if (written.hostname !== fetched.hostname) return null;
  const value: UrlRule = Object.fromEntries(
    TELLING.flatMap((component) => {
      const text = commonText(component, written, fetched);
      return text === null ? [] : [[component, exactly(text)]];
    }),
  );
  const { draft } = checkDraft({ list: 'url_preview_url_whitelist', value, isEnabled: true, note: '' });
  const allows = new UrlRules([{ hostname: '*' }], [value]);
  return draft !== null && allows.match(url) === null ? draft : null;
}

/** The exception from refused ranges that allows one address. */
export function exceptionForAddress(address: string): RuleDraft | null {
  const list = 'url_preview_ip_range_whitelist';
  return checkDraft({ list, value: address, isEnabled: true, note: '' }).draft;
}

/** An exception has to match both forms, so a component that differs is left out. */
function commonText(component: UrlComponent, written: UrlParts, fetched: UrlParts): string | null {
  const text = fetched[component];
  const isSame = text === written[component] || (component === 'path' && written.path === '');
  return isSame ? text : null;
}

/** A pattern that matches this text and no other; of a long text, what begins with it. */
function exactly(text: string): string {
  if (text === '') return '^$';
  const escaped = text.slice(0, MAX_EXACT_CHARACTERS).replaceAll(/[*?[]|^\^/g, '[$&]');
  return text.length > MAX_EXACT_CHARACTERS ? `${escaped}*` : escaped;
}
