import { Element } from 'domhandler';

import { parseUrl } from '../../base/text/parse-url.js';
import { DESCRIPTIONS, type Page } from './dom/page.js';
import { hasOwnTags } from './interstitial.js';
import { SUBSTANTIAL, textWidth } from './read-body.js';

const LONGEST = 2_000;

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

/**
 * The address a page gives itself, where it can be believed: on the host it was found on (`www.` and `m.` aside),
 * and not the front page for something deeper. Else null.
 */
export function cleanAddress(raw: string, address: URL, base: URL): string | null {
  const text = raw.trim();
  const url = text === '' || text.length > LONGEST ? null : parseUrl(text, base.href);
  if (url === null || !isWeb(url) || url.username !== '' || url.password !== '') return null;
  if (plainHost(url) !== plainHost(address)) return null;
  const isFrontPage = url.pathname === '/' && url.search === '';
  if (isFrontPage && (address.pathname !== '/' || address.search !== '')) return null;
  return url.href;
}

function plainHost(url: URL): string {
  return url.hostname.replace(/^(?:www|m|mobile|amp)\./, '');
}

/** Whether an address can be asked over http or https. */
export function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** Whether an address is the page's, another one of its site, or tells nothing. */
export type AddressRelation = 'here' | 'elsewhere' | 'unknown';

/**
 * Where `address` leads, seen from a page at `own`: protocol, `www.` and `m.`, fragment and a closing slash make no
 * difference, nor does a query that only one side has. Front pages and other hosts tell nothing of a page deeper down.
 */
export function relationOf(address: string | null, own: readonly URL[]): AddressRelation {
  const base = own[0];
  if (address === null || base === undefined || address.length > LONGEST) return 'unknown';
  const url = parseUrl(address.trim(), base.href);
  if (url === null || !isWeb(url)) return 'unknown';
  if (own.some((each) => isSamePage(url, each))) return 'here';
  const isDeeper = url.pathname !== '/' || url.search !== '';
  return isDeeper && own.some((each) => plainHost(each) === plainHost(url)) ? 'elsewhere' : 'unknown';
}

function isSamePage(a: URL, b: URL): boolean {
  if (plainHost(a) !== plainHost(b) || plainPath(a) !== plainPath(b)) return false;
  if (a.search === b.search) return true;
  return plainPath(a) !== '' && (a.search === '' || b.search === '');
}

function plainPath(url: URL): string {
  return url.pathname.replace(/\/$/, '').toLowerCase();
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
  if (page.refreshes.length === 0 || hasOwnTags(page)) return null;
  const isBare = page.body.textLength < LITTLE_TEXT && !DESCRIPTIONS.some((key) => page.metaKeys.has(key));
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
  const isTagged = [...page.metaKeys].some((key) => key.startsWith('og:') || DESCRIPTIONS.includes(key));
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
