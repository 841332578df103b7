import { isRecord } from '../../base/json/is-record.js';

const MAX_IMAGES = 20;
const MAX_TOTAL_LENGTH = 1_048_576;
const MAX_NODES = 400;
const MAX_DEPTH = 6;
const MAX_LIST = 20;

const ARTICLE = /Article$|Posting$|^Report$|^LiveBlog/;
const PAGE = /Page$/;
const LIST = /^(?:ItemList|CollectionPage|SearchResultsPage|OfferCatalog|DataFeed|Blog)$/;
/** Those that a site repeats on all its pages: a page is about one only if it is called like it. */
const OWNER =
  /Organi[sz]ation$|Business$|Store$|Application$|^(?:Corporation|Brand|Restaurant|Hotel|Project|Blog)$/;
/** Those that no page is about, and parts of pages about something else. */
const ASIDE =
  /List$|Action$|Offer$|Rating$|Specification$|Page$|Review$|Object$|^(?:WP[A-Z].*|WebSite|ListItem|SiteNavigationElement|OfferCatalog|DataFeed|Comment|Question|Answer|PostalAddress|ContactPoint|HowToStep|MonetaryAmount|QuantitativeValue|GeoCoordinates|PropertyValue|Photograph|Person|Clip|Quotation|Service)$/;

/** Of those what a page may be about; it is called like it then. */
const PART = /Review$|^(?:VideoObject|AudioObject|Person|Question|Service)$/;

/** What the structured data of a page says of its main thing; strings as written, null where it says nothing. */
export type LinkedData = ReturnType<typeof readLinkedData>;

/** One object of JSON-LD, members as written. */
type LinkedNode = Record<string, unknown>;

/** The objects of a page's JSON-LD. */
interface LinkedNodes {
  readonly all: LinkedNode[];
  /** Those that stand for themselves: of a block, of a list, of a `@graph`. */
  readonly top: LinkedNode[];
  readonly byId: Map<string, LinkedNode>;
}

/**
 * Reads JSON-LD scripts (schema.org): what they say of the thing that the page is about, then of the page itself.
 * `titles` are what the page calls itself.
 */
export function readLinkedData(blocks: readonly string[], titles: readonly string[]) {
  const nodes = readNodes(blocks);
  const page = nodes.all.find((node) => isOfType(node, PAGE)) ?? null;
  const named = namedOf(nodes);
  const main = named ?? mainOf(nodes, titles);
  const about = [main, page].filter((node) => node !== null);
  const name = main === null ? null : nameOf(main);
  const isTitle =
    name !== null &&
    (named !== null ||
      titles.length === 0 ||
      (!isOfType(main ?? {}, OWNER) && titles.some((title) => isStart(title, name))));
  const site = nodes.all.find((node) => isOfType(node, /^WebSite$/));
  const text = (key: string): string | null =>
    about.map((node) => textOf(node[key])).find((each) => each !== null) ?? null;
  const publisher = about.map((node) => followed(node['publisher'], nodes)).find(isRecord);
  return {
    title: isTitle ? name : main === null && page !== null && titles.length === 0 ? nameOf(page) : null,
    description: text('description'),
    siteName: textOf((site ?? publisher)?.['name']),
    images: about.flatMap((node) => imagesOf(node, nodes)).slice(0, MAX_IMAGES),
  };
}

/** The one thing that a page says it is about. */
function namedOf(nodes: LinkedNodes): LinkedNode | null {
  for (const page of nodes.all) {
    // The one question on a page of questions may be one about a product.
    if (!isOfType(page, PAGE) || isOfType(page, /^FAQPage$/)) continue;
    const entities = listOf(page['mainEntity']);
    const entity = entities.length === 1 ? followed(entities[0], nodes) : null;
    if (isRecord(entity) && nameOf(entity) !== null && !isOfType(entity, LIST)) return entity;
  }
  return null;
}

/** The only article, else the only other thing; of several, and on pages of lists, the one with the name of the page. */
function mainOf({ top }: LinkedNodes, titles: readonly string[]): LinkedNode | null {
  const things = top.filter((node) => node['@type'] !== undefined && !isOfType(node, ASIDE));
  const articles = things.filter((node) => isOfType(node, ARTICLE));
  const own = (group: readonly LinkedNode[]): LinkedNode | undefined =>
    group.find((node) => titles.some((title) => isStart(title, nameOf(node) ?? '')));
  const isList = top.some((node) => isOfType(node, LIST));
  for (const group of [articles, things.filter((node) => !isOfType(node, OWNER))]) {
    const best = own(group);
    if (best !== undefined) return best;
    if (new Set(group.map(nameOf)).size === 1 && !isList) return group[0] ?? null;
  }
  return own(things) ?? own(top.filter((node) => isOfType(node, PART))) ?? null;
}

/** Is a title this name, with that of the site behind it? */
function isStart(title: string, name: string): boolean {
  return name !== '' && title.trim().toLowerCase().startsWith(name.trim().toLowerCase());
}

function nameOf(node: LinkedNode): string | null {
  return textOf(node['headline']) ?? textOf(node['name']);
}

function imagesOf(node: LinkedNode, nodes: LinkedNodes): string[] {
  return ['image', 'primaryImageOfPage', 'thumbnailUrl', 'thumbnail'].flatMap((key) =>
    listOf(node[key]).flatMap((item) => {
      const value = followed(item, nodes);
      const address = isRecord(value) ? (textOf(value['url']) ?? textOf(value['contentUrl'])) : textOf(value);
      // Written by templates for HTML, where a bare `&` is none.
      return address === null ? [] : [address.replaceAll('&amp;', '&')];
    }),
  );
}

/** Parses JSON-LD scripts: several blocks, lists, `@graph`, references; broken blocks are skipped. */
function readNodes(blocks: readonly string[]): LinkedNodes {
  const nodes: LinkedNodes = { all: [], top: [], byId: new Map() };
  let total = 0;
  for (const block of blocks) {
    total += block.length;
    if (total > MAX_TOTAL_LENGTH) break;
    addNodes(nodes, parseSloppyJson(block), { depth: 0, isTop: true });
  }
  for (const node of nodes.all) {
    const id = textOf(node['@id']);
    // Where a thing is described and referred to, the description counts.
    if (id !== null && (!nodes.byId.has(id) || Object.keys(node).length > 1)) nodes.byId.set(id, node);
  }
  return nodes;
}

function addNodes(nodes: LinkedNodes, value: unknown, at: { depth: number; isTop: boolean }): void {
  if (at.depth > MAX_DEPTH || nodes.all.length >= MAX_NODES) return;
  const below = { depth: at.depth + 1, isTop: at.isTop };
  if (Array.isArray(value)) {
    for (const item of value) addNodes(nodes, item, below);
    return;
  }
  if (!isRecord(value)) return;
  nodes.all.push(value);
  if (at.isTop) nodes.top.push(value);
  addNodes(nodes, value['@graph'], below);
  for (const key of ['mainEntity', 'mainEntityOfPage', 'isPartOf', 'publisher', 'primaryImageOfPage'])
    addNodes(nodes, value[key], { ...below, isTop: false });
}

/** Strings, which may be cut off, comments, and commas before a closing bracket. */
const PARTS = /"[^"\\]*(?:\\[^][^"\\]*)*"?|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|,(?=\s*[}\]])/g;
// oxlint-disable-next-line no-control-regex -- JSON forbids them in strings
const CONTROLS = /[\0-\x1f]/g;

/**
 * Parses the untrusted JSON of pages: wrapped in CDATA marks or HTML comments, with comments, trailing
 * commas or bare line breaks in strings. Undefined when it is broken beyond that.
 */
function parseSloppyJson(script: string): unknown {
  const source = script.replaceAll('<![CDATA[', '').replaceAll(']]>', '');
  const start = source.search(/[{[]/);
  const end = Math.max(source.lastIndexOf('}'), source.lastIndexOf(']'));
  if (start === -1 || end < start) return undefined;
  const text = source.slice(start, end + 1);
  return parsed(text) ?? parsed(text.replaceAll(PARTS, repaired));
}

function repaired(part: string): string {
  return part.startsWith('"') ? part.replaceAll(CONTROLS, ' ') : ' ';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Is one of the node's types, without the vocabulary before it, like this? */
function isOfType(node: LinkedNode, type: RegExp): boolean {
  return listOf(node['@type']).some(
    (name) => typeof name === 'string' && name.length < 100 && type.test(name.replace(/^.*[/:]/, '')),
  );
}

/** A node that only refers to another one (`{"@id": …}`) stands for it. */
function followed(value: unknown, { byId }: LinkedNodes): unknown {
  const isReference = isRecord(value) && !Object.hasOwn(value, 'name') && !Object.hasOwn(value, 'url');
  const id = isReference ? textOf(value['@id']) : null;
  return id === null ? value : (byId.get(id) ?? value);
}

function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.slice(0, MAX_LIST) : [value];
}

/** A string that says something, also as `{"@value": …}` or first of a list; numbers are no text. */
function textOf(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const text = isRecord(first) ? first['@value'] : first;
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}
