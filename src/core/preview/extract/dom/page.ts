import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';

import { isKept, MAX_ADDRESS_LENGTH, MAX_VALUE_LENGTH } from './elements.js';
import { readBody, type PageBody } from '../read-body.js';

/** Names of what states a description. */
export const DESCRIPTIONS = ['og:description', 'twitter:description', 'description'];

const MAX_KEY_LENGTH = 200;
const MAX_HEADING_LENGTH = 5_000;
const MAX_HEADINGS = 5;
const MAX_ITEM_LENGTH = 2_000;
const MAX_ITEM_VALUES = 10;
const MAX_LD_LENGTH = 524_288;
const MAX_AUTHORS = 5;
const MAX_AUTHOR_LENGTH = 300;
const MAX_MARKED = 1_000;
const META_KEYS = ['property', 'name', 'itemprop', 'http-equiv'] as const;
const BYLINE_CLASS = /byline|author|autor|auteur/i;
/** Tags that no author mentions in a title with attributes and all. */
const HEAD_TAG = /<(?:\/head>|\/tit|body[\s>]|meta\s|link\s|script[\s>]|style[\s>]|!--)/i;

/** One meta tag with a key and a content; `key` keeps its case. */
export interface MetaTag {
  readonly attribute: (typeof META_KEYS)[number];
  readonly key: string;
  readonly content: string;
}

export interface RefreshTag {
  readonly content: string;
  /** Only clients without scripts follow it. */
  readonly inNoscript: boolean;
}

/** What a parsed page holds; each part is read when it is first asked for. Lists are in document order. */
export class Page {
  readonly metas: readonly MetaTag[];
  readonly metaKeys: ReadonlySet<string>;
  private readonly byName = new Map<string, Element[]>();
  private readonly lists = new Map<string, readonly string[]>();
  private knownItems: ReadonlyMap<string, readonly Element[]> | null = null;
  private knownBody: PageBody | null = null;

  /** `all` elements of the page: looking them up saves a walk over the page for each selector. */
  constructor(
    readonly $: CheerioAPI,
    readonly root: Element,
    private readonly all: readonly Element[],
  ) {
    for (const element of all) {
      const known = this.byName.get(element.name);
      if (known === undefined) this.byName.set(element.name, [element]);
      else known.push(element);
    }
    this.metas = metasOf(this.elements('meta'));
    this.metaKeys = new Set(this.metas.map(({ key }) => key.toLowerCase()));
  }

  /** Nothing but blanks, comments and declarations. */
  get isEmpty(): boolean {
    return this.root.children.every((node) => 'data' in node && node.data.trim() === '');
  }

  /** Addresses of the links that a selector finds, as written. */
  addresses(selector: string): readonly string[] {
    return this.elements(selector)
      .map(({ attribs }) => attribs['href'] ?? '')
      .filter((href) => href.trim() !== '' && isKept(href, MAX_ADDRESS_LENGTH));
  }

  get body(): PageBody {
    this.knownBody ??= readBody(this.root);
    return this.knownBody;
  }

  /** The first base with an address counts; HTML §4.2.3. */
  get base(): string | null {
    const href = this.elements('base[href]')[0]?.attribs['href'];
    return href === undefined || href.length > MAX_ADDRESS_LENGTH ? null : href;
  }

  get refreshes(): readonly RefreshTag[] {
    return this.elements('meta')
      .filter(({ attribs }) => attribs['http-equiv']?.trim().toLowerCase() === 'refresh')
      .map((meta) => ({ content: meta.attribs['content'] ?? '', inNoscript: isInside(meta, 'noscript') }));
  }

  /** Whole texts of the first few `title`, `h1`, `h2` or `h3`; titles of drawings are none. */
  headings(name: string): readonly string[] {
    return this.list(`heading ${name}`, () =>
      this.elements(name)
        .filter((heading) => name !== 'title' || !isInside(heading, 'svg'))
        .slice(0, MAX_HEADINGS)
        .map((heading) => (name === 'title' ? titleIn(heading) : textIn(heading, MAX_HEADING_LENGTH))),
    );
  }

  get jsonLd(): readonly string[] {
    return this.list('json-ld', () =>
      this.elements('script')
        .filter(({ attribs }) => attribs['type']?.trim().toLowerCase().startsWith('application/ld+json'))
        .map((script) => textIn(script, MAX_LD_LENGTH)),
    );
  }

  /** Microdata by path (`headline`, `author.name`): the names of the thing and of the property. */
  items(path: string): readonly string[] {
    return this.list(`item ${path}`, () => {
      const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
      const values: string[] = [];
      for (const element of this.properties.get(name) ?? []) {
        if (values.length >= MAX_ITEM_VALUES) break;
        const owner = firstWord(this.$(element).parent().closest('[itemscope]').attr('itemprop'));
        const value =
          (owner === '' ? name : `${owner}.${name}`) === path.toLowerCase() ? itemValue(element) : '';
        if (value.trim() !== '') values.push(value);
      }
      return values;
    });
  }

  get authors(): readonly string[] {
    return textsOf(this.all.filter(isAuthorLink));
  }

  /** Texts of elements whose class names speak of one. */
  get bylines(): readonly string[] {
    return textsOf(
      this.all.filter(
        (element) => BYLINE_CLASS.test(element.attribs['class'] ?? '') && !isAuthorLink(element),
      ),
    );
  }

  /** `datetime` of the first time element that has one. */
  get time(): string | null {
    const times = this.elements('time').map(({ attribs }) => attribs['datetime'] ?? null);
    return times.find((time) => time !== null && time.length <= 64) ?? null;
  }

  get articles(): number {
    return this.elements('article').filter((article) => !isInside(article, 'article')).length;
  }

  get isHeadingInArticle(): boolean {
    const [heading] = this.elements('h1');
    return heading !== undefined && isInside(heading, 'article');
  }

  /** Elements with `itemprop`, by its first name. */
  private get properties(): ReadonlyMap<string, readonly Element[]> {
    if (this.knownItems !== null) return this.knownItems;
    const properties = new Map<string, Element[]>();
    for (const element of this.all) {
      if (!('itemprop' in element.attribs)) continue;
      const name = firstWord(element.attribs['itemprop']);
      const known = properties.get(name) ?? [];
      if (known.length < MAX_MARKED) known.push(element);
      properties.set(name, known);
    }
    this.knownItems = properties;
    return properties;
  }

  /** What a selector finds that begins with the name of an element. */
  elements(selector: string): readonly Element[] {
    const [name = ''] = /^[a-z0-9]*/.exec(selector) ?? [];
    const named = this.byName.get(name) ?? [];
    return name === selector || named.length === 0 ? named : this.$(named).filter(selector).toArray();
  }

  private list(name: string, read: () => readonly string[]): readonly string[] {
    const known = this.lists.get(name) ?? read();
    this.lists.set(name, known);
    return known;
  }
}

function isAuthorLink({ attribs }: Element): boolean {
  return /^author$/i.test(attribs['rel'] ?? '');
}

function isInside(element: Element, name: string): boolean {
  for (let at = element.parent; at !== null; at = at.parent)
    if ('name' in at && at.name === name) return true;
  return false;
}

function metasOf(elements: readonly Element[]): MetaTag[] {
  return elements.flatMap(({ attribs }) => {
    const content = attribs['content'] ?? '';
    if (content === '' || !isKept(content, MAX_VALUE_LENGTH)) return [];
    return META_KEYS.flatMap((attribute) => {
      const key = attribs[attribute] ?? '';
      return key === '' || key.length > MAX_KEY_LENGTH ? [] : [{ attribute, key, content }];
    });
  });
}

/** The text inside an element, scripts and styles in it aside, up to `limit` characters. */
export function textIn(element: Element, limit: number): string {
  let text = '';
  const stack = [...element.children].toReversed();
  for (let node = stack.pop(); node !== undefined && text.length < limit; node = stack.pop()) {
    if ('attribs' in node) {
      if (node.name !== 'script' && node.name !== 'style') stack.push(...node.children.toReversed());
    } else if ('data' in node) {
      text += node.data;
    }
  }
  return text.slice(0, limit);
}

/** A title that was not closed has the rest of the head for text. */
function titleIn(title: Element): string {
  const text = textIn(title, MAX_HEADING_LENGTH);
  const end = text.search(HEAD_TAG);
  return end === -1 ? text : text.slice(0, end);
}

function firstWord(list = ''): string {
  return list.trim().split(/\s/, 1)[0]?.slice(0, 60).toLowerCase() ?? '';
}

/** HTML §5.2.4 "values". That of an element with `itemscope` is the item, not its text. */
function itemValue(element: Element): string {
  const { name, attribs } = element;
  const { content } = attribs;
  if (content !== undefined) return content.slice(0, MAX_ITEM_LENGTH);
  if (name === 'img') return attribs['src'] ?? '';
  if (name === 'link') return attribs['href'] ?? '';
  if (name === 'time' && 'datetime' in attribs) return attribs['datetime'] ?? '';
  return 'itemscope' in attribs ? '' : textIn(element, MAX_ITEM_LENGTH);
}

/** Texts of elements that may stand in each other, the innermost first: they say it in fewer words. */
function textsOf(elements: readonly Element[]): string[] {
  const marked = elements.slice(0, MAX_MARKED);
  const outer = new Set<unknown>();
  for (const { parent } of marked)
    for (let at = parent; at !== null && !outer.has(at); at = at.parent) outer.add(at);
  return [...marked.filter((each) => !outer.has(each)), ...marked.filter((each) => outer.has(each))]
    .map((element) => textIn(element, MAX_AUTHOR_LENGTH))
    .filter((text) => text.trim() !== '')
    .slice(0, MAX_AUTHORS);
}
