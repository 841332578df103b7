import { InvalidArgumentError } from 'commander';

import { parseDuration } from '../../config/kinds/units.js';
import { systemClock } from '../../core/base/clock.js';
import { valueAt } from '../../core/base/json/is-record.js';

export type Variables = Readonly<Record<string, unknown>>;

/** Sends a document to the running server; resolves to the value of its one root field. */
export type Ask = (document: string, variables: Variables) => Promise<unknown>;

export interface Parameter {
  /** As commander writes it; an argument begins with `<` or `[`. */
  flags: string;
  text: string;
  /** Path into the variables, such as `filter.host`. */
  to: string;
  /** Reads a word of the command line; the word itself without. Throws `InvalidArgumentError`. */
  read?: (word: string) => unknown;
  /** Values of an enumeration, in lower case. */
  choices?: readonly string[];
  /** What an option without a value stands for; `true` without. */
  value?: unknown;
}

/** What a cell holds: a path into the row, or a function of the row. */
export type Cell = string | ((row: unknown) => string);

export type Shown =
  | {
      /** Path of the list in the answer; empty: the answer is it. */
      rows?: string;
      columns: Readonly<Record<string, Cell>>;
      /** Of the rows; without, that of the answer. */
      order?: (rows: readonly unknown[]) => readonly unknown[];
      empty: string;
    }
  | ((answer: unknown) => string | readonly string[]);

export interface Operation {
  command: string;
  text: string;
  /** What may follow the command, without `-c`. */
  example?: string;
  /** A GraphQL operation with one root field. With `$after` it is a list, asked for page by page. */
  document: string;
  parameters?: readonly Parameter[];
  variables?: Variables;
  /** Completes the variables, if need be with what it asks first. */
  complete?: (variables: Variables, ask: Ask) => Promise<Variables>;
  shows: Shown;
}

/** A mutation with its declared arguments and the wanted part of its payload. */
export function mutation(name: string, declared: string, wanted: string): string {
  const given = declared.replaceAll(/\$(\w+): [^,]+/g, '$1: $$$1');
  const [head, call] = declared === '' ? ['', name] : [`(${declared}) `, `${name}(${given})`];
  return `mutation ${head}{ ${call} { userErrors { code message } ${wanted} } }`;
}

/** A list that is asked for page by page; `filter` is the type of its filter. */
export function list(name: string, wanted: string, filter: string): string {
  return `query ($filter: ${filter}, $first: Int, $after: String) {
    ${name}(filter: $filter, first: $first, after: $after) {
      nodes { ${wanted} } pageInfo { hasNextPage endCursor } } }`;
}

export function at(answer: unknown, path: string): unknown {
  return path === '' ? answer : valueAt(answer, path.split('.'));
}

export function textAt(answer: unknown, path: string): string {
  const value = at(answer, path);
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

export function valuesAt(answer: unknown, path: string): readonly unknown[] {
  const values = at(answer, path);
  return Array.isArray(values) ? values : [];
}

/** A value of an enumeration in lower case. */
export function word(path: string): (row: unknown) => string {
  return (row) => textAt(row, path).toLowerCase().replaceAll('_', ' ');
}

export function withValue(variables: Variables, path: string, value: unknown): Variables {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...variables, [first]: value };
  return { ...variables, [first]: withValue(Object(variables[first]), rest.join('.'), value) };
}

/** A date, a time, or how long ago: `2026-11-20`, `2026-11-20T12:00Z`, `36h`. */
export function readTime(text: string): string {
  const agoMs = /^\d+[a-z]+$/.test(text) ? parseDuration(text) : null;
  const ts = agoMs === null ? Date.parse(text) : systemClock.now() - agoMs;
  if (/^\d/.test(text) && !/^\d+$/.test(text) && !Number.isNaN(ts)) return new Date(ts).toISOString();
  throw new InvalidArgumentError('Expected a date such as 2026-11-20, a time, or a duration such as 36h.');
}

export function readNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number.');
}

/** `--since TIME`. */
export function since(to: string): Parameter {
  return { flags: '--since <time>', text: 'such as 36h or 2026-11-20', to, read: readTime };
}

/** Stages of a preview or a diagnosis, one or two lines each. */
export function stepLines(answer: unknown, path: string): string[] {
  return valuesAt(answer, path).flatMap((step) => {
    const ms = textAt(step, 'durationMs');
    const line = `${word('status')(step)}  ${textAt(step, 'title')} (${ms} ms): ${textAt(step, 'message')}`;
    const advice = textAt(step, 'advice');
    return advice === '' ? [line] : [line, `    ${advice}`];
  });
}

/** How a run ended, in one line. */
export function runLine(run: unknown): string {
  const counts = valuesAt(run, 'counts').map((one) => `${textAt(one, 'value')} ${word('name')(one)}`);
  const done = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${textAt(run, 'job.name')} ${word('outcome')(run)}${done}. ${textAt(run, 'message')}`.trimEnd();
}
