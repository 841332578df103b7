import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
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
  locate(path: readonly (string | number)[], isName?: boolean): { line: number; column: number };
}

/** A problem of the file and where it stands: line and column, from 1. */
export interface LocatedProblem {
  readonly problem: Problem;
  readonly line: number;
  readonly column: number;
}

const MAX_DEPTH = 32;
const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** Reads one YAML document. Never throws: deep nesting, references and repeated names come back as errors. */
export function readYaml(text: string): YamlText {
  const reader = new YamlReader();
  // Uniqueness is checked by the reader: the parser compares every pair of names of a map.
  const options = { lineCounter: reader.lines, prettyErrors: false, uniqueKeys: false };
  const document = parseDocument(text, options);
  const [error] = [...document.errors, ...document.warnings];
  if (error === undefined) reader.walk(document.contents, []);
  else {
    const isDeep = error.code === 'RESOURCE_EXHAUSTION';
    const message = isDeep ? TOO_DEEP : `cannot be read as YAML: ${error.message.split('\n', 1)[0]}`;
    reader.report(error.pos[0], message);
  }
  const { errors, usable } = reader;
  const value: unknown = usable ? document.toJS() : undefined;
  return { value, errors, usable, locate: (path, isName) => reader.locate(path, isName) };
}

class YamlReader {
  readonly lines = new LineCounter();
  readonly errors: LocatedProblem[] = [];
  readonly #offsets = new Map<string, NodeOffsets>();
  usable = true;

  /** Without a path the error keeps the text from being read at all. */
  report(offset: number, message: string, path?: readonly (string | number)[]): void {
    if (path === undefined) this.usable = false;
    this.errors.push({ problem: { path: path ?? [], isName: true, message }, ...this.#position(offset) });
  }

  walk(node: unknown, path: readonly (string | number)[]): void {
    if (path.length > MAX_DEPTH) this.report(startOf(node), TOO_DEEP);
    else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) {
        const at = [...path, index];
        this.#offsets.set(JSON.stringify(at), { name: startOf(item), value: startOf(item) });
        this.walk(item, at);
      }
    } else if (isMap(node)) for (const { key, value } of node.items) this.#member(key, value, path);
    // References can lie within themselves, and multiply beyond measure.
    else if (isAlias(node) && this.usable)
      this.report(startOf(node), 'is a reference (*); write the value out');
  }

  locate(path: readonly (string | number)[], isName = false): { line: number; column: number } {
    const known = this.#offsets.get(JSON.stringify(path));
    if (known !== undefined) return this.#position(isName ? known.name : known.value);
    return path.length === 0 ? { line: 1, column: 1 } : this.locate(path.slice(0, -1), true);
  }

  #member(key: unknown, value: unknown, path: readonly (string | number)[]): void {
    const offset = startOf(key);
    if (!isScalar(key)) {
      this.report(offset, 'a name is plain text, not a list, map or reference', path);
      return;
    }
    const at = [...path, String(key.value)];
    const known = JSON.stringify(at);
    if (key.value === '__proto__') this.report(offset, 'is not allowed as a name', at);
    if (this.#offsets.has(known)) this.report(offset, 'stands here a second time', at);
    else this.#offsets.set(known, { name: offset, value: value === null ? offset : startOf(value) });
    this.walk(value, at);
  }

  #position(offset: number): { line: number; column: number } {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

function startOf(node: unknown): number {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : null;
  return range?.[0] ?? 0;
}
