import { Element } from 'domhandler';

import { parseUrl } from '../../base/text/url.js';
import { SUBSTANTIAL, textWidth } from '../charset/visible-text.js';
import { DESCRIPTIONS, type Page } from './page.js';

/** `address` made absolute against `base`; data URLs stay as written. Null for anything but http, https and data. */
export function resolveAddress(address: string, base: URL): string | null {
  if (address.startsWith('data:')) return address;
  const url = parseUrl(address, base.href);
  return url === null || !isWeb(url) ? null : url.href;
}

/** What is asked for at `address`; the fragment is for the client. */
export function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? '';
}

/** What relative addresses of the page are relative to: its `<base href>` where that is sensible. */
export function baseOfPage(href: string | null, address: URL): URL {
  const base = href === null ? null : parseUrl(href.trim(), address.href);
  return base !== null && isWeb(base) ? base : address;
}

/** Whether an address can be asked over http or https. */
export function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

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
 * speaks for itself. Of others a client follows what takes effect at once; what needs a while only if the page says
 * hardly anything, and what is for clients without scripts if it says nothing at all.
 */
export function refreshTarget(page: Page, { address, base }: { address: URL; base: URL }): string | null {
  if (page.refreshes.length === 0 || page.hasOwnTags) return null;
  const isBare = page.body.textLength < LITTLE_TEXT && !DESCRIPTIONS.some((key) => page.contents.has(key));
  for (const { content, inNoscript } of page.refreshes) {
    const { delay, target } = refreshOf(content);
    const isFollowed = delay === 0 || (isBare && delay <= LONGEST_DELAY_SECONDS);
    if (inNoscript && !saysNothing(page)) continue;
    const url = isFollowed && target !== '' ? resolveAddress(target, base) : null;
    if (url !== null && !url.startsWith('data:') && withoutFragment(url) !== withoutFragment(address.href))
      return url;
  }
  return null;
}

/** No title but an address, no tag and no paragraph. */
function saysNothing(page: Page): boolean {
  const title = page.headings('title')[0]?.trim() ?? '';
  const isTitled = title !== '' && !/^\S+\.\S+$/.test(title);
  const isTagged = [...page.contents.keys()].some(
    (key) => key.startsWith('og:') || DESCRIPTIONS.includes(key),
  );
  return !isTitled && !isTagged && !page.body.blocks.some(({ text }) => textWidth(text) >= SUBSTANTIAL);
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
