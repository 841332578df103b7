import { parseSloppyJson } from './json-repair.js';

const MAX_TOTAL_LENGTH = 1_048_576;
const MAX_NODES = 200;
const MAX_DEPTH = 6;
const MAX_LIST = 20;

/** What the structured data of a page says of its main thing; strings as written, null where it says nothing. */
export interface LinkedData {
  title: string | null;
  description: string | null;
  images: string[];
  author: string | null;
  published: string | null;
  siteName: string | null;
  publisher: string | null;
  language: string | null;
}

type Node = Record<string, unknown>;

const ARTICLE = /Article$|Posting$|^Report$|^Review$|^CriticReview$|^LiveBlog/;
const THING =
  /^(?:Product|Recipe|VideoObject|Movie|TVSeries|TVEpisode|Book|.*Event|Event|SoftwareApplication|MobileApplication|Course|Dataset|JobPosting|PodcastEpisode|PodcastSeries|MusicRecording|MusicAlbum|Game|VideoGame|HowTo|CreativeWork|QAPage|Question|SoftwareSourceCode|ImageObject|Photograph|FAQPage)$/;
const PAGE = /Page$/;

/** Reads JSON-LD scripts (schema.org): several blocks, lists, `@graph`, references; broken blocks are skipped. */
export function readLinkedData(blocks: readonly string[]): LinkedData {
  const nodes: Node[] = [];
  let total = 0;
  for (const block of blocks) {
    total += block.length;
    if (total > MAX_TOTAL_LENGTH) break;
    addNodes(nodes, parseSloppyJson(block), 0);
  }
  const byId = nodesById(nodes);
  const main = best(nodes);
  const page = nodes.find((node) => isOfType(node, PAGE)) ?? null;
  const site = nodes.find((node) => isOfType(node, /^WebSite$/)) ?? null;
  const follow = (value: unknown): unknown => followed(value, byId);
  const of = (...names: string[]): string | null =>
    firstText(
      [main, page].flatMap((node) => names.map((name) => (node === null ? null : member(node, name)))),
    );
  return {
    title: main === null ? null : of('headline', 'name'),
    description: of('description'),
    images: [main, page].flatMap((node) => (node === null ? [] : imagesOf(node, follow))).slice(0, MAX_LIST),
    author: namesOf([main, page], ['author', 'creator'], follow),
    published: of('datePublished', 'uploadDate', 'dateCreated'),
    siteName: site === null ? namesOf([main, page], ['isPartOf'], follow) : textOf(member(site, 'name')),
    publisher: namesOf([main, page], ['publisher', 'sourceOrganization'], follow),
    language: of('inLanguage'),
  };
}

/** Where a thing is described and referred to, the description counts. */
function nodesById(nodes: readonly Node[]): Map<string, Node> {
  const byId = new Map<string, Node>();
  for (const node of nodes) {
    const id = textOf(member(node, '@id'));
    if (id !== null && (!byId.has(id) || Object.keys(node).length > 1)) byId.set(id, node);
  }
  return byId;
}

function addNodes(nodes: Node[], value: unknown, depth: number): void {
  if (depth > MAX_DEPTH || nodes.length >= MAX_NODES) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, MAX_NODES)) addNodes(nodes, item, depth + 1);
    return;
  }
  if (!isNode(value)) return;
  nodes.push(value);
  for (const name of [
    '@graph',
    'mainEntity',
    'mainEntityOfPage',
    'isPartOf',
    'author',
    'publisher',
    'primaryImageOfPage',
  ])
    addNodes(nodes, member(value, name), depth + 1);
}

/** The thing the page is about: an article before a product or film before the page itself. */
function best(nodes: readonly Node[]): Node | null {
  for (const type of [ARTICLE, THING, PAGE]) {
    const node = nodes.find((candidate) => isOfType(candidate, type) && describes(candidate));
    if (node !== undefined) return node;
  }
  return null;
}

function describes(node: Node): boolean {
  return ['headline', 'name', 'description', 'datePublished'].some(
    (name) => textOf(member(node, name)) !== null,
  );
}

function isOfType(node: Node, type: RegExp): boolean {
  const types = member(node, '@type');
  return (Array.isArray(types) ? types.slice(0, MAX_LIST) : [types]).some(
    (name) => typeof name === 'string' && name.length < 100 && type.test(name.replace(/^.*[/:]/, '')),
  );
}

function imagesOf(node: Node, follow: (value: unknown) => unknown): string[] {
  return ['image', 'primaryImageOfPage', 'thumbnailUrl', 'thumbnail'].flatMap((name) =>
    listOf(member(node, name)).flatMap((item) => {
      const value = follow(item);
      const address = isNode(value)
        ? (textOf(member(value, 'url')) ?? textOf(member(value, 'contentUrl')))
        : textOf(value);
      return address === null ? [] : [address];
    }),
  );
}

function namesOf(
  nodes: readonly (Node | null)[],
  keys: readonly string[],
  follow: (value: unknown) => unknown,
): string | null {
  for (const node of nodes) {
    for (const key of node === null ? [] : keys) {
      const names = listOf(node === null ? null : member(node, key)).map((item) => nameOf(follow(item)));
      const known = [...new Set(names.filter((name) => name !== null))].slice(0, 3);
      if (known.length > 0) return known.join(', ');
    }
  }
  return null;
}

function nameOf(value: unknown): string | null {
  if (!isNode(value)) return textOf(value);
  return firstText([member(value, 'name'), member(value, 'alternateName')]);
}

/** A node that only refers to another one (`{"@id": …}`) stands for it. */
function followed(value: unknown, byId: ReadonlyMap<string, Node>): unknown {
  const id =
    isNode(value) && !Object.hasOwn(value, 'name') && !Object.hasOwn(value, 'url')
      ? textOf(member(value, '@id'))
      : null;
  return id === null ? value : (byId.get(id) ?? value);
}

function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.slice(0, MAX_LIST) : [value];
}

function firstText(values: readonly unknown[]): string | null {
  for (const value of values) {
    const text = textOf(value);
    if (text !== null) return text;
  }
  return null;
}

/** A string that says something, also as `{"@value": …}` or first of a list; numbers are no text. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (Array.isArray(value)) return textOf(value[0] ?? null);
  return isNode(value) ? textOf(member(value, '@value')) : null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function member(node: Node, name: string): unknown {
  return Object.hasOwn(node, name) ? node[name] : null;
}
