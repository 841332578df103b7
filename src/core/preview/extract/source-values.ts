import { readLinkedData, type LinkedData } from './linked-data/linked-data.js';
import { cleanAddress } from './page-address.js';
import type { Candidates, MetaTag } from './pass/candidates.js';
import { siteOfTitle } from './text/site-of-title.js';
import { describeByText, titleByText } from './text/page-text.js';

/** What a page calls itself, to tell which of the things it describes is its subject. */
const TITLES = ['heading:title', 'meta:og:title', 'meta:twitter:title', 'heading:h1'];

/** An honest page has one or two. */
const MAX_OWN_ADDRESSES = 10;

/** Looks up sources of `sources.ts` in what one pass found; values are raw, in document order. */
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
    readonly found: Candidates,
    { address, base }: { address: URL; base: URL },
  ) {
    this.address = address;
    this.metas = metasByKey(found);
    const own = [...this.of('link:canonical'), ...this.of('meta:og:url')]
      .slice(0, MAX_OWN_ADDRESSES)
      .map((raw) => cleanAddress(raw, address, base))
      .filter((clean) => clean !== null);
    this.linked = readLinkedData(found.jsonLd, {
      titles: TITLES.flatMap((source) => this.of(source).slice(0, 1)).filter((title) => title.trim() !== ''),
      addresses: [address, ...own.map((clean) => new URL(clean))],
    });
  }

  of(source: string): readonly string[] {
    const colon = source.indexOf(':');
    const kind = source.slice(0, colon);
    const name = source.slice(colon + 1);
    switch (kind) {
      case 'meta':
        return this.metas.get(name) ?? [];
      case 'ld':
        return this.ofLinked(name);
      case 'item':
        return this.found.items.get(name) ?? [];
      case 'heading':
        return this.found.headings.get(name) ?? [];
      case 'link':
        return this.found.links.filter(({ rel }) => hasToken(rel, name)).map(({ href }) => href);
      case 'author':
        return name === 'rel' ? this.found.authors : this.found.bylines;
      default:
        return listOf(this.ofPage(source));
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

  private ofPage(source: string): string | null {
    const { found } = this;
    switch (source) {
      case 'text:title':
        return titleByText(found);
      case 'text:description':
        return describeByText(found, this.title);
      case 'title:site':
        return siteOfTitle(this.of('heading:title')[0] ?? '', this.address);
      case 'time:first':
        return found.times[0] ?? null;
      default:
        return null;
    }
  }
}

/** Is `token` one of the blank-separated words of `list`, in any case? */
export function hasToken(list: string, token: string): boolean {
  return list.toLowerCase().split(/\s+/).includes(token);
}

function listOf(value: string | null): readonly string[] {
  return value === null ? [] : [value];
}

function metasByKey(found: Candidates): Map<string, string[]> {
  const byKey = new Map<string, string[]>();
  for (const meta of found.metas) {
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
