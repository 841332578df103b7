import { isRecord } from '../../../base/json/is-record.js';
import { parseSloppyJson } from './json-repair.js';

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
  /** How many there are of each type. */
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

/** `WebPage` and its kin. */
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

/** A value as a list of at most 20. */
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
