import { isKeyOf } from '../../base/json/is-record.js';
import type { Page, MetaTag } from './dom/page.js';
import { readLinkedData, type LinkedData } from './linked-data/linked-data.js';
import { cleanAddress } from './page-address.js';
import { ADDRESS_SOURCES, TITLE_SOURCES, type Source } from './sources.js';
import { describeByText, titleByText } from './text/page-text.js';

/** An honest page has one or two. */
const MAX_OWN_ADDRESSES = 10;

/** Of the name of a site in a title. */
const SEPARATOR = / [|·•»:–—-] /;
const LONGEST_NAME = 60;
/** Shorter ones are in anything. */
const SHORTEST_NAME = 4;
const NO_LETTER = /[^\p{L}\p{N}]+/gu;

/** Looks up sources of `sources.ts` in a page; values are raw, in document order. */
export class SourceValues {
  /** Contents by lower-case key, first of equal tags first. */
  readonly metas: ReadonlyMap<string, readonly string[]>;
  readonly linked: LinkedData;
  private readonly address: URL;
  /** Once it is chosen, so that descriptions do not repeat it. */
  title: string | null = null;
  /** The same, for what agrees with it. */
  description: string | null = null;

  /** `address` is where the page was found, `base` what its addresses are relative to. */
  constructor(
    readonly page: Page,
    { address, base }: { address: URL; base: URL },
  ) {
    this.address = address;
    this.metas = metasByKey(page);
    const own = ADDRESS_SOURCES.flatMap((source) => this.of(source))
      .slice(0, MAX_OWN_ADDRESSES)
      .map((raw) => cleanAddress(raw, address, base))
      .filter((clean) => clean !== null);
    this.linked = readLinkedData(page.jsonLd, {
      titles: TITLE_SOURCES.flatMap((source) => this.of(source).slice(0, 1)).filter(
        (title) => title.trim() !== '',
      ),
      addresses: [address, ...own.map((clean) => new URL(clean))],
    });
  }

  of({ selector, key }: Source): readonly string[] {
    const { page, address } = this;
    switch (selector) {
      case 'meta':
        return this.metas.get(key) ?? [];
      case '[itemprop]':
        return page.items(key);
      case 'time':
        return listOf(page.time);
      case 'body':
        return listOf(key === 'title' ? titleByText(page) : describeByText(page, this.title));
      case '[rel=author], [class]':
        return key === 'rel' ? page.authors : page.bylines;
      case 'script[type="application/ld+json"]':
        return isKeyOf(this.linked, key) ? [this.linked[key] ?? []].flat() : [];
      default:
        if (selector.startsWith('link')) return page.addresses(selector);
        return key === 'site'
          ? listOf(siteOfTitle(page.headings('title')[0] ?? '', address))
          : page.headings(selector);
    }
  }
}

function listOf(value: string | null): readonly string[] {
  return value === null ? [] : [value];
}

function metasByKey({ metas }: Page): Map<string, string[]> {
  const byKey = new Map<string, string[]>();
  for (const meta of metas) {
    for (const name of namesOf(meta)) {
      const known = byKey.get(name);
      if (known === undefined) byKey.set(name, [meta.content]);
      else known.push(meta.content);
    }
  }
  return byKey;
}

/** The keys of a meta tag in lower case; several may stand in one attribute. */
export function namesOf({ attribute, key }: MetaTag): string[] {
  return attribute === 'itemprop' ? [] : key.toLowerCase().trim().split(/\s+/, 4);
}

/** The last part of a page's title (`Headline - The Daily`) where it agrees with the page's host; else null. */
function siteOfTitle(title: string, { hostname }: URL): string | null {
  const parts = title.slice(0, 1_000).split(SEPARATOR);
  const last = parts.length < 2 ? '' : (parts.at(-1) ?? '').trim();
  if (last === '' || last.length > LONGEST_NAME) return null;
  const labels = hostname.split('.').slice(0, -1);
  return labels.some((label) => agrees(last, label)) ? last : null;
}

/** Is a label the name, a word of it, or most of it? */
function agrees(name: string, label: string): boolean {
  const site = folded(label);
  const plain = folded(name);
  if (site.length < 2 || plain === '') return false;
  if (plain === site || name.split(' ').some((word) => site.length > 2 && folded(word) === site)) return true;
  if (site.length >= SHORTEST_NAME && plain.includes(site)) return true;
  return plain.length >= SHORTEST_NAME && 2 * plain.length >= site.length && site.includes(plain);
}

function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(NO_LETTER, '').toLowerCase();
}
