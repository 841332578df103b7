import { isMap, isNode, LineCounter, parseDocument, type Document } from 'yaml';
import type { Problem } from '../config-errors.js';

type Path = readonly (string | number)[];

/** A place in a text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A read YAML text, or what is wrong with its form. */
export interface YamlText {
  readonly value: unknown;
  readonly error: ({ problem: Problem } & Position) | null;
  /** Where a name or value begins; its nearest parent when it is not there itself. */
  locate(path: Path, isName?: boolean): Position;
}

/** Reads one YAML document. Never throws. */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const locate = (path: Path, isName = false): Position => positionOf(offsetOf(document, path, isName));
  const failed = (message: string, at: Position): YamlText => {
    const problem = { path: [], message: `cannot be read as YAML: ${message.split('\n', 1)[0]}` };
    return { value: undefined, error: { problem, ...at }, locate };
  };
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) return failed(error.message, positionOf(error.pos[0]));
  try {
    return { value: document.toJS(), error: null, locate };
  } catch (reason) {
    return failed(reason instanceof Error ? reason.message : String(reason), { line: 1, column: 1 });
  }
}

function offsetOf(document: Document, path: Path, isName: boolean): number {
  if (path.length === 0) return 0;
  const parent: unknown = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => String(key) === String(path.at(-1)))
    : undefined;
  const name = isNode(pair?.key) ? pair.key : undefined;
  const value: unknown = document.getIn(path, true);
  const node = isName ? (name ?? value) : value;
  return isNode(node) && node.range ? node.range[0] : offsetOf(document, path.slice(0, -1), true);
}
