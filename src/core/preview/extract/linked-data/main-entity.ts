import { isRecord } from '../../../base/json/is-record.js';
import { relationOf, type AddressRelation } from '../page-address.js';
import { shareOf, wordsOf, beginsWith } from '../../charset/visible-text.js';

export interface PageFacts {
  /** What it calls itself: page title, tags, first heading. */
  readonly titles: readonly string[];
  /** Where it was found, and the addresses it gives itself. */
  readonly addresses: readonly URL[];
}

interface MainEntity {
  readonly node: LinkedNode;
  /** May its name stand for the page's title, though the page has one? */
  readonly isTitle: boolean;
}

export const ARTICLE = /Article$|Posting$|^Report$|^LiveBlog/;
/** Parts of pages about something else, more often than not. */
const PART =
  /^(?:VideoObject|ImageObject|AudioObject|MediaObject|Photograph|.*Review|Question|Person|Clip|Quotation|Service|ClaimReview)$/;
/** Those that a site repeats on all its pages. */
const OWNER =
  /Organi[sz]ation$|Business$|^(?:Corporation|Brand|Restaurant|Hotel|.*Store|Project|Blog|.*Application)$/;
/** Those no page is about. */
const NOTHING =
  /List$|^(?:WebSite|ListItem|SiteNavigationElement|WP[A-Z].*|.*Action|.*Offer|OfferCatalog|DataFeed|.*Rating|Comment|Answer|PostalAddress|ContactPoint|.*Specification|HowToStep|.*Page|MonetaryAmount|QuantitativeValue|GeoCoordinates|PropertyValue)$/;
export const COLLECTION = /^(?:ItemList|CollectionPage|SearchResultsPage|OfferCatalog|DataFeed|Blog)$/;
/** Shares of its words from which a name agrees with a title: alone, and among several of its kind. */
const ENOUGH = 0.6;
const ENOUGH_OF_MANY = 0.9;

type Kind = 'article' | 'thing' | 'owner' | 'part';
const KINDS: readonly Kind[] = ['article', 'thing', 'owner', 'part'];

interface Candidate {
  readonly node: LinkedNode;
  readonly kind: Kind;
  readonly name: string | null;
  /** Named by a page as its main thing, or at the page's own address. */
  readonly isHere: boolean;
  /** The best share of its words in one of the page's titles. */
  readonly ofName: number;
  readonly isFirst: boolean;
}

/**
 * Which of the things described in a page it is about: one that the page names or whose address is the page's, else
 * one whose name agrees with the page's title; an article before a product before the site's owner. Several articles
 * or products, none of which stands out, are a list. Null: none.
 */
export function mainEntityOf(nodes: LinkedNodes, facts: PageFacts): MainEntity | null {
  const titles = facts.titles.map(wordsOf);
  const candidates = [...new Set([...nodes.top, ...nodes.named])].flatMap((node) => {
    const kind = kindOf(node);
    return kind === null ? [] : [candidateOf(node, kind, { nodes, facts, titles })];
  });
  const isList = nodes.top.some((node) => isOfType(node, COLLECTION));
  const best = candidates
    .filter((each) => isSure(each, isList || candidates.some((other) => isRival(each, other))))
    .sort(byEvidence)[0];
  if (best !== undefined)
    return { node: best.node, isTitle: best.kind !== 'owner' && (best.isHere || best.isFirst) };
  const only = isList ? null : onlyOf(candidates, facts);
  return only === null ? null : { node: only.node, isTitle: false };
}

function isRival(a: Candidate, b: Candidate): boolean {
  return a.kind === b.kind && a.name !== b.name;
}

/** The node of the page itself: the one at its address, else the first that is not elsewhere. */
export function pageNodeOf(nodes: LinkedNodes, facts: PageFacts): LinkedNode | null {
  const pages = nodes.all.filter((node) => isOfType(node, PAGE));
  const here = pages.find((node) => relationTo(node, facts) === 'here');
  return here ?? pages.find((node) => relationTo(node, facts) !== 'elsewhere') ?? null;
}

function kindOf(node: LinkedNode): Kind | null {
  if (firstText(node, ['headline', 'name', 'description', 'datePublished']) === null) return null;
  if (node['@type'] === undefined || isOfType(node, NOTHING)) return null;
  if (isOfType(node, PART)) return 'part';
  if (isOfType(node, ARTICLE)) return 'article';
  return isOfType(node, OWNER) ? 'owner' : 'thing';
}

function candidateOf(
  node: LinkedNode,
  kind: Kind,
  { nodes, facts, titles }: { nodes: LinkedNodes; facts: PageFacts; titles: readonly Set<string>[] },
): Candidate {
  const name = firstText(node, ['headline', 'name']);
  const words = wordsOf(name ?? '');
  return {
    node,
    kind,
    name,
    isHere: nodes.named.has(node) || (kind !== 'part' && relationTo(node, facts) === 'here'),
    ofName: Math.max(0, ...titles.map((title) => shareOf(words, title))),
    isFirst: titles.some((title) => beginsWith(title, words)),
  };
}

function isSure({ kind, isHere, ofName, isFirst }: Candidate, isOneOfMany: boolean): boolean {
  if (isHere || isFirst) return true;
  // The name of the owner ends the titles of all pages, that of a part may be a word of it.
  return (kind === 'article' || kind === 'thing') && ofName >= (isOneOfMany ? ENOUGH_OF_MANY : ENOUGH);
}

function byEvidence(a: Candidate, b: Candidate): number {
  return (
    Number(b.isHere) - Number(a.isHere) ||
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    b.ofName - a.ofName
  );
}

/** The only article or product of a page, though its name is not the page's; anything on a page without a title. */
function onlyOf(candidates: readonly Candidate[], facts: PageFacts): Candidate | null {
  const kind = KINDS.find((each) => candidates.some((candidate) => candidate.kind === each));
  const ofKind = candidates.filter((candidate) => candidate.kind === kind);
  const [first] = ofKind;
  if (first === undefined || ofKind.some((other) => isRival(first, other))) return null;
  if (relationTo(first.node, facts) === 'elsewhere') return null;
  return first.kind === 'article' || first.kind === 'thing' || facts.titles.length === 0 ? first : null;
}

/** Where a node says that it belongs; its `@id` may be any name, so that it tells of the page only. */
function relationTo(node: LinkedNode, { addresses }: PageFacts): AddressRelation {
  const page = node['mainEntityOfPage'];
  const own = [node['url'], isRecord(page) ? (page['@id'] ?? page['url']) : page];
  const paths = own.map((value) => relationOf(textOf(value), addresses));
  if (paths.includes('here') || relationOf(textOf(node['@id']), addresses) === 'here') return 'here';
  return paths.includes('elsewhere') ? 'elsewhere' : 'unknown';
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

const MAX_TOTAL_LENGTH = 1_048_576;
/** Of each type, so that no number of offers hides the article; and in all. */
const MAX_OF_TYPE = 40;
const MAX_NODES = 400;
const MAX_DEPTH = 6;
const MAX_LIST = 20;
/** Members whose nodes say something of the page or of what it is about. */
const FOLLOWED = ['mainEntity', 'mainEntityOfPage', 'isPartOf', 'author', 'publisher', 'primaryImageOfPage'];

/** One object of JSON-LD, members as written. */
export type LinkedNode = Record<string, unknown>;

/** The objects of a page's JSON-LD. */
export interface LinkedNodes {
  readonly all: LinkedNode[];
  /** Those that stand for themselves: of a block, of a list, of a `@graph`. */
  readonly top: LinkedNode[];
  /** What pages name as the one thing they are about. */
  readonly named: Set<LinkedNode>;
  readonly byId: Map<string, LinkedNode>;
  readonly counts: Map<string, number>;
}

/** Parses JSON-LD scripts: several blocks, lists, `@graph`, references; broken blocks are skipped. */
export function readLinkedNodes(blocks: readonly string[]): LinkedNodes {
  const nodes: LinkedNodes = { all: [], top: [], named: new Set(), byId: new Map(), counts: new Map() };
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
  for (const node of nodes.all) {
    // The one question on a page of questions may be one about a product.
    const isNaming = isOfType(node, PAGE) && !isOfType(node, /^FAQPage$/);
    const entities = isNaming ? listOf(node['mainEntity']) : [];
    const entity = entities.length === 1 ? followed(entities[0], nodes.byId) : null;
    if (isRecord(entity)) nodes.named.add(entity);
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
  const type = textOf(value['@type'])?.slice(0, 100) ?? '';
  const count = (nodes.counts.get(type) ?? 0) + 1;
  if (count > MAX_OF_TYPE) return;
  nodes.counts.set(type, count);
  nodes.all.push(value);
  if (at.isTop) nodes.top.push(value);
  addNodes(nodes, value['@graph'], below);
  for (const name of FOLLOWED) addNodes(nodes, value[name], { ...below, isTop: false });
}

export const PAGE = /Page$/;

/** Is one of the node's types, without the vocabulary before it, like this? */
export function isOfType(node: LinkedNode, type: RegExp): boolean {
  return listOf(node['@type']).some(
    (name) => typeof name === 'string' && name.length < 100 && type.test(name.replace(/^.*[/:]/, '')),
  );
}

/** A node that only refers to another one (`{"@id": …}`) stands for it. */
export function followed(value: unknown, byId: ReadonlyMap<string, LinkedNode>): unknown {
  const id =
    isRecord(value) && !Object.hasOwn(value, 'name') && !Object.hasOwn(value, 'url')
      ? textOf(value['@id'])
      : null;
  return id === null ? value : (byId.get(id) ?? value);
}

export function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.slice(0, MAX_LIST) : [value];
}

/** A string that says something, also as `{"@value": …}` or first of a list; numbers are no text. */
export function textOf(value: unknown): string | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const text = isRecord(first) ? first['@value'] : first;
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** The first of `names` that the node has as a text. */
export function firstText(node: LinkedNode, names: readonly string[]): string | null {
  for (const name of names) {
    const text = textOf(node[name]);
    if (text !== null) return text;
  }
  return null;
}
