import { isRecord } from '../../../base/json/is-record.js';
import { beginsWith, shareOf, wordsOf } from '../text/agreement.js';
import { firstText, isOfType, PAGE, textOf, type LinkedNode, type LinkedNodes } from './linked-nodes.js';
import { relationOf, type AddressRelation } from '../page-address.js';

/** What is known of a page beside its JSON-LD. */
export interface PageFacts {
  /** What it calls itself: page title, tags, first heading. */
  readonly titles: readonly string[];
  /** Where it was found, and the addresses it gives itself. */
  readonly addresses: readonly URL[];
}

/** The thing a page is about. */
export interface MainEntity {
  readonly node: LinkedNode;
  /** May its name stand for the page's title, though the page has one? */
  readonly isTitle: boolean;
}

/** `NewsArticle` and its kin. */
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
/** Lists of things or pages. */
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
  /** Does a title begin with it? */
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
