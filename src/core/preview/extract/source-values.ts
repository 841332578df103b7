import type { Page, MetaTag } from './dom/page.js';
import { readLinkedData, type LinkedData } from './linked-data/linked-data.js';
import { cleanAddress } from './page-address.js';
import { ADDRESS_SOURCES, TITLE_SOURCES, type Source } from './sources.js';
import { siteOfTitle } from './text/site-of-title.js';
import { describeByText, titleByText } from './text/page-text.js';

/** An honest page has one or two. */
const MAX_OWN_ADDRESSES = 10;

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
        return this.ofLinked(key);
      default:
        if (selector.startsWith('link')) return page.addresses(selector);
        return key === 'site'
          ? listOf(siteOfTitle(page.headings('title')[0] ?? '', address))
          : page.headings(selector);
    }
  }

  private ofLinked(name: string): readonly string[] {
    const { linked } = this;
    switch (name) {
      case 'images':
        return linked.images;
      case 'title':
      case 'description':
      case 'author':
      case 'published':
      case 'siteName':
      case 'publisher':
        return listOf(linked[name]);
      default:
        return [];
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
