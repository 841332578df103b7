import { isRecord } from '../../../base/json/is-record.js';
import {
  ARTICLE,
  COLLECTION,
  mainEntityOf,
  pageNodeOf,
  type PageFacts,
  type LinkedNode,
  firstText,
  listOf,
  textOf,
  isOfType,
  followed,
  readLinkedNodes,
} from './main-entity.js';

const MAX_IMAGES = 20;
/** What an article can be part of that has the name of a site. */
const SITE = /^(?:WebSite|Periodical|Newspaper|Magazine|Blog|Product)$/;

/** What the structured data of a page says of its main thing; strings as written, null where it says nothing. */
export interface LinkedData {
  title: string | null;
  description: string | null;
  images: string[];
  author: string | null;
  published: string | null;
  siteName: string | null;
  publisher: string | null;
  /** What it is; null where it says nothing of it. */
  kind: 'article' | 'other' | null;
}

type Follow = (value: unknown) => unknown;

/** Reads JSON-LD scripts (schema.org): what they say of the thing the page is about, then of the page itself. */
export function readLinkedData(blocks: readonly string[], facts: PageFacts): LinkedData {
  const nodes = readLinkedNodes(blocks);
  const main = mainEntityOf(nodes, facts);
  const page = pageNodeOf(nodes, facts);
  const about = [main?.node ?? null, page].filter((node) => node !== null);
  const site = nodes.all.find((node) => isOfType(node, /^WebSite$/)) ?? null;
  const follow: Follow = (value) => followed(value, nodes.byId);
  const of = (...names: string[]): string | null =>
    about.map((node) => firstText(node, names)).find((text) => text !== null) ?? null;
  const isTitle = main !== null && (main.isTitle || facts.titles.length === 0);
  const titled = isTitle ? main.node : facts.titles.length === 0 ? page : null;
  return {
    title: titled === null ? null : firstText(titled, ['headline', 'name']),
    description: of('description'),
    images: about.flatMap((node) => imagesOf(node, follow)).slice(0, MAX_IMAGES),
    author: namesOf(about, ['author', 'creator'], follow),
    published: of('datePublished', 'uploadDate', 'dateCreated'),
    siteName: site === null ? siteAbove(about, follow) : textOf(site['name']),
    publisher: namesOf(about, ['publisher', 'sourceOrganization'], follow),
    kind: kindOf(main?.node ?? null, page),
  };
}

/** Of a page nothing is told by its being one, but a list of pages is none that somebody wrote. */
function kindOf(main: LinkedNode | null, page: LinkedNode | null): LinkedData['kind'] {
  if (main !== null) return isOfType(main, ARTICLE) ? 'article' : 'other';
  if (page === null) return null;
  if (isOfType(page, ARTICLE)) return 'article';
  return isOfType(page, COLLECTION) ? 'other' : null;
}

/** The periodical an article belongs to; a page above it has a title, not the name of a site. */
function siteAbove(nodes: readonly LinkedNode[], follow: Follow): string | null {
  for (const node of nodes) {
    const above = follow(node['isPartOf']);
    if (isRecord(above) && isOfType(above, SITE)) return nameOf(above);
  }
  return null;
}

function imagesOf(node: LinkedNode, follow: Follow): string[] {
  return ['image', 'primaryImageOfPage', 'thumbnailUrl', 'thumbnail'].flatMap((name) =>
    listOf(node[name]).flatMap((item) => {
      const value = follow(item);
      const address = isRecord(value) ? firstText(value, ['url', 'contentUrl']) : textOf(value);
      // Written by templates for HTML, where a bare `&` is none.
      return address === null ? [] : [address.replaceAll('&amp;', '&')];
    }),
  );
}

function namesOf(nodes: readonly LinkedNode[], keys: readonly string[], follow: Follow): string | null {
  for (const node of nodes) {
    for (const key of keys) {
      const names = listOf(node[key]).map((item) => nameOf(follow(item)));
      const known = [...new Set(names.filter((name) => name !== null))].slice(0, 3);
      if (known.length > 0) return known.join(', ');
    }
  }
  return null;
}

function nameOf(value: unknown): string | null {
  return isRecord(value) ? firstText(value, ['name', 'alternateName']) : textOf(value);
}
