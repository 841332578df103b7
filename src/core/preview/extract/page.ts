import type { CheerioAPI } from 'cheerio/slim';
import { Element } from 'domhandler';

import { readBody, type PageBody } from './body.js';
import { isKept } from './elements.js';
import { isWeb, parseUrl, resolveAddress, withoutFragment } from '../../base/text/url.js';
import { SUBSTANTIAL, textWidth } from './values.js';

/** Names of what states a description. */
export const DESCRIPTIONS = ['og:description', 'twitter:description', 'description'];
const OWN_TAGS = ['og:title', 'og:description', 'og:image', 'twitter:title', 'article:published_time'];

const MAX_KEY_LENGTH = 200;
const MAX_CONTENT_LENGTH = 65_536;
const MAX_HEADING_LENGTH = 5_000;
const MAX_HEADINGS = 5;
const MAX_LD_LENGTH = 524_288;
const META_KEYS = ['property', 'name', 'itemprop', 'http-equiv'] as const;
/** Tags that no author mentions in a title with attributes and all. */
const HEAD_TAG = /<(?:\/head>|\/tit|body[\s>]|meta\s|link\s|script[\s>]|style[\s>]|!--)/i;

/** One meta tag with a key and a content; `key` keeps its case. */
export interface MetaTag {
  readonly attribute: (typeof META_KEYS)[number];
  readonly key: string;
  readonly content: string;
}

/** What a parsed page holds; lists are in document order. */
export class Page {
  readonly metas: readonly MetaTag[];
  /** Contents of the meta tags by their keys in lower case, of which several may stand in one attribute. */
  readonly contents = new Map<string, string[]>();
  private readonly byName = new Map<string, Element[]>();
  private knownBody: PageBody | null = null;

  /** `all` elements of the page: looking them up saves a walk over the page for each selector. */
  constructor(
    readonly $: CheerioAPI,
    readonly root: Element,
    all: readonly Element[],
  ) {
    for (const element of all) add(this.byName, element.name, element);
    this.metas = metasOf(this.elements('meta'));
    for (const { key, content } of this.metas)
      for (const name of key.toLowerCase().trim().split(/\s+/, 4)) add(this.contents, name, content);
  }

  /** Nothing but blanks, comments and declarations. */
  get isEmpty(): boolean {
    return this.root.children.every((node) => 'data' in node && node.data.trim() === '');
  }

  /** Do tags say of what the page is? Interstitials and pages that lead on have none. */
  get hasOwnTags(): boolean {
    return OWN_TAGS.filter((key) => this.contents.has(key)).length >= 2;
  }

  /** Addresses of the links that a selector finds, as written. */
  addresses(selector: string): readonly string[] {
    return this.elements(selector)
      .map(({ attribs }) => attribs['href'] ?? '')
      .filter((href) => href.trim() !== '' && isKept(href));
  }

  /** Read when it is first asked for. */
  get body(): PageBody {
    return (this.knownBody ??= readBody(this.root));
  }

  /** What its relative addresses are relative to: its first `<base href>` (HTML §4.2.3) where that is sensible. */
  base(address: URL): URL {
    const href = this.elements('base[href]')[0]?.attribs['href'];
    const base = href !== undefined && isKept(href) ? parseUrl(href.trim(), address.href) : null;
    return base !== null && isWeb(base) ? base : address;
  }

  /** Whole texts of the first few `title`, `h1`, `h2` or `h3`; titles of drawings are none. */
  headings(name: string): readonly string[] {
    return this.elements(name)
      .filter((heading) => name !== 'title' || !isInside(heading, 'svg'))
      .slice(0, MAX_HEADINGS)
      .map((heading) => textIn(heading, MAX_HEADING_LENGTH))
      .map((text) => (name === 'title' ? closedTitle(text) : text));
  }

  get jsonLd(): readonly string[] {
    return this.elements('script')
      .filter(({ attribs }) => attribs['type']?.trim().toLowerCase().startsWith('application/ld+json'))
      .map((script) => textIn(script, MAX_LD_LENGTH));
  }

  /** What a selector finds that begins with the name of an element. */
  elements(selector: string): readonly Element[] {
    const [name = ''] = /^[a-z0-9]*/.exec(selector) ?? [];
    const named = this.byName.get(name) ?? [];
    return name === selector || named.length === 0 ? named : this.$(named).filter(selector).toArray();
  }
}

function add<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const known = lists.get(key);
  if (known === undefined) lists.set(key, [value]);
  else known.push(value);
}

function isInside(element: Element, name: string): boolean {
  for (let at = element.parent; at !== null; at = at.parent)
    if ('name' in at && at.name === name) return true;
  return false;
}

function metasOf(elements: readonly Element[]): MetaTag[] {
  return elements.flatMap(({ attribs }) => {
    const content = attribs['content'] ?? '';
    if (content === '' || !isKept(content, MAX_CONTENT_LENGTH)) return [];
    return META_KEYS.flatMap((attribute) => {
      const key = attribs[attribute] ?? '';
      return key === '' || key.length > MAX_KEY_LENGTH ? [] : [{ attribute, key, content }];
    });
  });
}

/** The text inside an element, scripts and styles in it aside, up to `limit` characters. */
export function textIn(element: Element, limit: number): string {
  let text = '';
  for (const node of element.children) {
    if (text.length >= limit) break;
    if ('data' in node) text += node.data;
    else if ('attribs' in node && node.name !== 'script' && node.name !== 'style')
      text += textIn(node, limit - text.length);
  }
  return text.slice(0, limit);
}

/** A title that was not closed has the rest of the head for text. */
export function closedTitle(text: string): string {
  const end = text.search(HEAD_TAG);
  return end === -1 ? text : text.slice(0, end);
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
  const metas = page
    .elements('meta')
    .filter(({ attribs }) => attribs['http-equiv']?.trim().toLowerCase() === 'refresh');
  if (metas.length === 0 || page.hasOwnTags) return null;
  const isBare = page.body.textLength < LITTLE_TEXT && !DESCRIPTIONS.some((key) => page.contents.has(key));
  for (const meta of metas) {
    const { delay, target } = refreshOf(meta.attribs['content'] ?? '');
    const isFollowed = delay === 0 || (isBare && delay <= LONGEST_DELAY_SECONDS);
    if (!isFollowed || target === '' || (isInside(meta, 'noscript') && !saysNothing(page))) continue;
    const url = resolveAddress(target, base);
    if (url !== null && !url.startsWith('data:') && withoutFragment(url) !== withoutFragment(address.href))
      return url;
  }
  return null;
}

/** No title but an address, no tag and no paragraph. */
function saysNothing(page: Page): boolean {
  const isTitled = !/^(?:\S+\.\S+)?$/.test(page.headings('title')[0]?.trim() ?? '');
  const keys = [...page.contents.keys()];
  const isTagged = keys.some((key) => key.startsWith('og:') || DESCRIPTIONS.includes(key));
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
