import { Element } from 'domhandler';

import { DESCRIPTIONS, type Page } from './dom/page.js';
import { hasOwnTags } from './interstitial.js';
import { resolveAddress, withoutFragment } from './page-address.js';

/** Later ones are for readers: pages that load themselves again, or lead on once they were read. */
const LONGEST_DELAY_SECONDS = 10;
/** Characters of a page that has nothing to say but that one is led on. */
const LITTLE_TEXT = 600;
const LOOKED_AT = 10_000;
/** Delay, then the address with or without `url=` and quotes; HTML §4.2.5.3 "shared declarative refresh steps". */
const REFRESH =
  /^\s*(?:(\d{1,9})[\d.]*|\.[\d.]*)(?=[\s;,])\s*[;,]?\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is;

/**
 * Where a page leads by `meta http-equiv=refresh` or the header `Refresh`, absolute; null for a page that stays. A page with tags of its own
 * speaks for itself. Of others a client follows what takes effect at once; what needs a while, or is for clients
 * without scripts, only if the page says hardly anything.
 */
export function refreshTarget(page: Page, { address, base }: { address: URL; base: URL }): string | null {
  if (page.refreshes.length === 0 || hasOwnTags(page)) return null;
  const isBare = page.body.textLength < LITTLE_TEXT && !DESCRIPTIONS.some((key) => page.metaKeys.has(key));
  for (const { content, inNoscript } of page.refreshes) {
    const { delay, target } = refreshOf(content);
    const isFollowed = isBare ? delay <= LONGEST_DELAY_SECONDS : delay === 0 && !inNoscript;
    const url = isFollowed && target !== '' ? resolveAddress(target, base) : null;
    if (url !== null && !url.startsWith('data:') && withoutFragment(url) !== withoutFragment(address.href))
      return url;
  }
  return null;
}

/** Delay in whole seconds; an empty target is the page itself, or what is no refresh. */
function refreshOf(content: string): { delay: number; target: string } {
  const [, seconds = '0', double, single, bare] = REFRESH.exec(content.slice(0, LOOKED_AT)) ?? [];
  return { delay: Number(seconds), target: (double ?? single ?? bare ?? '').trim() };
}

/** One link of a `Link` header: address, then parameters; RFC 8288 §3. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,"<>]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,"<>]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))/g;
/** Blanks around what is read cost time beyond this. */
const BLANKS = /\s{2,}/g;

/**
 * What the headers `Link` and `Refresh` say, as the elements that say the same in a page: links of any kind (oEmbed,
 * canonical, icons) and where the page leads. Relative to the address of the page, not to its base.
 */
export function headerElements(headers: Readonly<Record<string, string>>, address: URL): Element[] {
  const { delay, target } = refreshOf(headers['refresh'] ?? '');
  const url = target === '' ? null : resolveAddress(target, address);
  const refresh =
    url === null ? [] : [new Element('meta', { 'http-equiv': 'refresh', content: `${delay};url=${url}` })];
  return [...refresh, ...linksOf(headers['link'] ?? '', address)];
}

/** Links of another page, with an `anchor`, are left out. */
function linksOf(header: string, address: URL): Element[] {
  return [...header.replaceAll(BLANKS, ' ').matchAll(LINK)].flatMap(([, target = '', parameters = '']) => {
    const attributes: Record<string, string> = {};
    for (const [, name = '', quoted, bare = ''] of parameters.matchAll(PARAMETER))
      attributes[name.toLowerCase()] ??= (quoted ?? bare).replaceAll(/\\(.)/g, '$1');
    const href = resolveAddress(target.trim(), address);
    if (href === null || attributes['rel'] === undefined || 'anchor' in attributes) return [];
    return [new Element('link', { ...attributes, href })];
  });
}
