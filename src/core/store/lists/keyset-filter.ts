import { invalidParam } from '../../base/errors/api-error.js';
import { storableText, textOf } from '../../base/text/strings.js';
import { hostEnd, isHostMeant, readHostPattern } from '../../base/text/url.js';
import type { Database } from '../db.js';

/** A condition in the form of Prisma. */
export type Where = Record<string, unknown>;

/** A row with the fields that were selected. */
export type ListedRow = Record<string, unknown>;

export interface ListCondition {
  where: Where;
  /** Orders whose index serves it, by sort field: a range of that field, or the first field of its index. */
  servedBy?: readonly string[];
  /** Of the rows that the engine has found, those that are meant: what `LIKE` cannot say exactly. */
  keep?: (rows: readonly ListedRow[]) => readonly ListedRow[] | Promise<readonly ListedRow[]>;
  /** What `keep` looks at. */
  fields?: readonly string[];
}

/** Conditions of a list; what is absent or empty does not matter. */
export type ListConditions = readonly (
  | ListCondition
  | readonly ListCondition[]
  | null
  | undefined
  | false
  | ''
)[];

/** A time of a filter, POSIX ms as a number; absent: open. */
export type FilterTime = Date | number | null | undefined;

/** `from <= field < to` of a field of times; an end that is absent is open. */
export function timeRange(name: string, from: FilterTime, to: FilterTime): ListCondition | null {
  const gte = from ?? null;
  const lt = to ?? null;
  if (gte === null && lt === null) return null;
  const range = {
    ...(gte === null ? {} : { gte: BigInt(Number(gte)) }),
    ...(lt === null ? {} : { lt: BigInt(Number(lt)) }),
  };
  return { where: { [name]: range }, servedBy: [name] };
}

/** What lists of previews and media are narrowed by alike; absent members do not matter. */
export interface CreationFilter {
  host?: string | null;
  createdAfter?: FilterTime;
  createdBefore?: FilterTime;
}

/** Conditions on hosts and `createdTs`, which an index has in this order. */
export function createdOf({ host, createdAfter, createdBefore }: CreationFilter): ListConditions {
  return [timeRange('createdTs', createdAfter, createdBefore), ...onHost(host, 'createdTs')];
}

/**
 * Conditions on the fields `host` and `hostEnd`, as `readHostPattern` has it; `order` is the sort field that stands
 * behind each in an index. Below a name of one label there is no index.
 */
export function onHost(text: string | null | undefined, order: string): ListCondition[] {
  if ((text ?? null) === null) return [];
  const pattern = readHostPattern(storableText(text ?? ''));
  const { name, itself, below } = pattern;
  if (!below) return [{ where: { host: name }, servedBy: [order] }];
  const end = hostEnd(name);
  const conditions = end.includes('.') ? [{ where: { hostEnd: end }, servedBy: [order] }] : [];
  const under = { host: { endsWith: `.${name}` } };
  return [
    ...conditions,
    {
      where: itself ? { OR: [{ host: name }, under] } : under,
      // LIKE takes some signs of a host for wildcards.
      ...keeping(['host'], ({ host }) => isHostMeant(pattern, String(host))),
    },
  ];
}

/** Looking for a text costs its length times that of what is looked through; SQLite refuses patterns above 50 kB. */
const MAX_SEARCH_CHARACTERS = 1000;

export interface SearchedFields {
  fields: readonly string[];
  /** What of a row may be found; absent: the fields as they are. */
  shown?: (row: ListedRow) => readonly unknown[];
}

/**
 * Some of the fields contain the text, whatever its case (on SQLite: of ASCII letters); blank text does not matter.
 * Throws 400 for more than 1,000 characters.
 */
export function anyContains(
  engine: Database['engine'],
  { fields, shown = (row) => fields.map((name) => row[name]) }: SearchedFields,
  typed: string | null | undefined,
): ListCondition | null {
  const text = textOf(typed);
  if (text === null) return null;
  const sought = storableText(text).toLowerCase();
  const isFound = (row: ListedRow): boolean =>
    shown(row).some((value) => typeof value === 'string' && value.toLowerCase().includes(sought));
  return {
    where: {
      OR: fields.map((name) => ({ [name]: like(engine, 'contains', text) })),
    },
    ...keeping(fields, isFound),
  };
}

/** A field begins with the text, whatever its case. */
export function startsWith(engine: Database['engine'], name: string, text: string): ListCondition {
  const sought = storableText(text).toLowerCase();
  return {
    where: { [name]: like(engine, 'startsWith', text) },
    ...keeping([name], (row) => textIn(row, name).toLowerCase().startsWith(sought)),
  };
}

export function keeping(
  fields: readonly string[],
  test: (row: ListedRow) => boolean,
): Pick<ListCondition, 'fields' | 'keep'> {
  return { fields, keep: (rows) => rows.filter(test) };
}

/** A field of text; empty when there is none. */
export function textIn(row: ListedRow, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : '';
}

/**
 * Whatever the case, as SQLite always does. Prisma leaves the wildcards of LIKE as they are. SQLite knows no sign before
 * them; there more is found at first.
 */
function like(engine: Database['engine'], operator: 'contains' | 'startsWith', text: string): Where {
  if (text.length > MAX_SEARCH_CHARACTERS)
    throw invalidParam(`A text to look for has at most ${MAX_SEARCH_CHARACTERS} characters`);
  const storable = storableText(text);
  return engine === 'postgresql'
    ? { [operator]: storable.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' }
    : { [operator]: storable };
}
