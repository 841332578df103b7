import { invalidParam } from '../../base/errors/api-error.js';

/** A value of a row, in the form of the column; JSON as text. */
export type ColumnValue = string | number | bigint | boolean | Uint8Array | null;

/** A piece of SQL with its values, which go to the engine beside the text, never inside it. */
export interface Sql {
  /** One more than there are values. */
  readonly strings: readonly string[];
  readonly values: readonly ColumnValue[];
}

/**
 * Writes SQL: values become placeholders, other pieces become part of the text.
 * `sql\`host = ${host} AND ${other}\``. The text itself is always ours.
 */
export function sql(texts: TemplateStringsArray, ...parts: readonly (ColumnValue | Sql)[]): Sql {
  const strings = [texts[0] ?? ''];
  const values: ColumnValue[] = [];
  parts.forEach((part, index) => {
    const text = texts[index + 1] ?? '';
    if (isSql(part)) {
      const [first = '', ...rest] = part.strings;
      strings.push(`${strings.pop() ?? ''}${first}`, ...rest);
      values.push(...part.values);
      strings.push(`${strings.pop() ?? ''}${text}`);
    } else {
      strings.push(text);
      values.push(part);
    }
  });
  return { strings, values };
}

/** Names and operators as they are: never untrusted text. */
export function rawSql(text: string): Sql {
  return { strings: [text], values: [] };
}

/** All of them; true when there are none. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.reduce(
    (all, condition, index) => (index === 0 ? sql`(${condition})` : sql`${all} AND (${condition})`),
    conditions.length === 0 ? rawSql('1 = 1') : rawSql(''),
  );
}

/** A list of values between commas, for `IN (…)`. SQL knows no empty one: nothing equals NULL. */
export function listOf(values: readonly ColumnValue[]): Sql {
  if (values.length === 0) return rawSql('NULL');
  return { strings: ['', ...values.slice(1).map(() => ', '), ''], values };
}

/** Values as rows of one column, for `VALUES …`; at least one. */
export function tupleListOf(values: readonly ColumnValue[]): Sql {
  return { strings: ['(', ...values.slice(1).map(() => '), ('), ')'], values };
}

/** The same names, the last one repeated up to 1, 2, 4, … of them, so that the engines know each statement already. */
export function paddedNames(names: readonly string[]): string[] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, names.length)));
  return Array.from({ length: size }, (_, index) => names[Math.min(index, names.length - 1)] ?? '');
}

/** Looking for a text costs its length times that of what is looked through; SQLite refuses patterns above 50 kB. */
export const MAX_SEARCH_CHARACTERS = 1000;

/**
 * What a search box holds as a pattern for `LIKE … ESCAPE '\'`: anywhere in the text, its own wildcards plain.
 * Throws 400 for more than 1,000 characters.
 */
export function containsPattern(text: string): string {
  if (text.length > MAX_SEARCH_CHARACTERS) {
    throw invalidParam(`A text to look for has at most ${MAX_SEARCH_CHARACTERS} characters`);
  }
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** The form in which Prisma takes SQL: each engine puts its own placeholders between the strings. */
export function asTemplate(statement: Sql): TemplateStringsArray {
  return Object.assign([...statement.strings], { raw: statement.strings });
}

function isSql(part: ColumnValue | Sql): part is Sql {
  return typeof part === 'object' && part !== null && 'strings' in part;
}
