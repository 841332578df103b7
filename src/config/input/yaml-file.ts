import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import type { Problem } from '../config-errors.js';

/** Where a name and its value begin: offsets into the text. */
interface NodeOffsets {
  readonly name: number;
  readonly value: number;
}

/** A read YAML text: its plain value, what is wrong with its form, and where everything stands. */
export interface YamlText {
  /** `undefined` when an error keeps it from being read at all. */
  readonly value: unknown;
  readonly errors: readonly LocatedProblem[];
  /** Whether `value` is worth further checks; a name that stands twice does not hinder them. */
  readonly usable: boolean;
  /** Line and column, from 1, of a name or value; of its nearest parent when it is not there itself. */
  locate(path: readonly (string | number)[], at: 'name' | 'value'): { line: number; column: number };
}

/** A problem of the file and where it stands: line and column, from 1. */
export interface LocatedProblem {
  readonly problem: Problem;
  readonly line: number;
  readonly column: number;
}

const MAX_DEPTH = 32;
const MAX_ALIASES = 100;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** Without a path the error keeps the text from being read at all. */
type Report = (offset: number, message: string, path?: readonly (string | number)[] | null) => void;

/**
 * Reads one YAML document, of version 1.2 unless said otherwise: in 1.1, which Synapse reads, `yes` and `off` are flags.
 * Never throws: bombs, deep nesting and repeated names come back as errors.
 */
export function readYaml(text: string, version: '1.1' | '1.2' = '1.2'): YamlText {
  const lines = new LineCounter();
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const errors: LocatedProblem[] = [];
  let usable = true;
  const report: Report = (offset, message, path = null) => {
    if (path === null) usable = false;
    const problem: Problem = { path: path ?? [], at: 'name', message, wanted: null, suggestion: null };
    errors.push({ problem, ...position(offset) });
  };
  // Uniqueness is checked below: the parser compares every pair of names of a map.
  const document = parseDocument(text, {
    version,
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
  });
  for (const error of [...document.errors, ...document.warnings].slice(0, 1)) {
    const tooDeep = error.code === 'RESOURCE_EXHAUSTION';
    report(error.pos[0], tooDeep ? TOO_DEEP : `cannot be read as YAML: ${firstLine(error.message)}`);
  }
  const offsets = new Map<string, NodeOffsets>();
  if (usable) walk(document.contents, { path: [], anchors: [], defined: new Set(), offsets, report });
  const value = usable ? plainValue(document, report) : undefined;
  const locate: YamlText['locate'] = (path, at) => {
    const known = offsets.get(JSON.stringify(path));
    if (known !== undefined) return position(at === 'name' ? known.name : known.value);
    return path.length === 0 ? { line: 1, column: 1 } : locate(path.slice(0, -1), 'name');
  };
  return { value, errors, usable, locate };
}

interface Walk {
  readonly path: readonly (string | number)[];
  /** Of the nodes this one lies in. */
  readonly anchors: readonly string[];
  /** Every anchor so far. */
  readonly defined: Set<string>;
  readonly offsets: Map<string, NodeOffsets>;
  readonly report: Report;
}

function walk(node: unknown, { path, anchors: outer, defined, offsets, report }: Walk): void {
  if (path.length > MAX_DEPTH) {
    report(startOf(node), TOO_DEEP);
    return;
  }
  if (isAlias(node) && outer.includes(node.source))
    report(startOf(node), 'refers to a list or map it lies in');
  if (isAlias(node) && !defined.has(node.source)) report(startOf(node), `refers to nothing: *${node.source}`);
  const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
  if (anchor !== undefined) defined.add(anchor);
  const anchors = anchor === undefined ? outer : [...outer, anchor];
  if (isSeq(node)) {
    node.items.forEach((item, index) => {
      const itemPath = [...path, index];
      offsets.set(JSON.stringify(itemPath), { name: startOf(item), value: startOf(item) });
      walk(item, { path: itemPath, anchors, defined, offsets, report });
    });
  }
  if (!isMap(node)) return;
  const seen = new Set<string>();
  for (const pair of node.items) {
    const offset = startOf(pair.key);
    const name = isScalar(pair.key) ? String(pair.key.value) : null;
    if (name === null) {
      report(offset, 'a name is plain text, not a list, map or reference', path);
      continue;
    }
    const itemPath = [...path, name];
    if (name === '__proto__') report(offset, 'is not allowed as a name', itemPath);
    if (seen.has(name)) report(offset, 'stands here a second time', itemPath);
    seen.add(name);
    const value = pair.value === null ? offset : startOf(pair.value);
    if (!offsets.has(JSON.stringify(itemPath)))
      offsets.set(JSON.stringify(itemPath), { name: offset, value });
    walk(pair.value, { path: itemPath, anchors, defined, offsets, report });
  }
}

function plainValue(document: Document, report: Report): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    report(0, 'has references (*) that multiply beyond measure');
    return undefined;
  }
}

function startOf(node: unknown): number {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : null;
  return range?.[0] ?? 0;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
