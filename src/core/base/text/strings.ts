/** Untrusted text as every database takes it: PostgreSQL has no U+0000. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD');
}

/** A value as the text of a JSON column. */
export function storableJsonText(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes(ESCAPED_NUL) ? withoutNul(json) : json;
}

const ESCAPED_NUL = '\\u0000';

/** Escape by escape, since a backslash may be text itself. */
function withoutNul(json: string): string {
  return json.replaceAll(/\\(?:u0000|.)/g, (escape) => (escape === ESCAPED_NUL ? '\\ufffd' : escape));
}

/**
 * What a terminal would obey or hide instead of showing: control characters (escape sequences begin with one),
 * format characters such as the ones that turn the direction of text, line separators, lone surrogates.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Text from elsewhere, safe to print: what a terminal would obey is shown as a `\u` escape. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, escapeUnits);
}

/** As `printable`, for JSON text of several lines: line feeds stay, and the escapes keep it the same JSON. */
export function printableJson(text: string): string {
  return text.replace(UNPRINTABLE, (found) => (found === '\n' ? found : escapeUnits(found)));
}

function escapeUnits(text: string): string {
  let escaped = '';
  for (let i = 0; i < text.length; i++) {
    escaped += `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

/** An untrusted text, quoted and cut to 64 characters, for use in a detail. */
export function quoteForDetail(text: string): string {
  return text.length <= 64 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 64))}...`;
}

const SHOWN_CHARACTERS = 200;
/** The longest character of UTF-8. */
const MAX_CHARACTER_BYTES = 4;
const SPACING: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * The first 200 characters of a body from elsewhere, read as UTF-8 and safe to show: control, direction and invisible
 * characters are escapes.
 */
export function bodyStart(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, SHOWN_CHARACTERS * MAX_CHARACTER_BYTES));
  const start = Array.from(text).slice(0, SHOWN_CHARACTERS).join('');
  return printable(start.replace(/[\t\n\r]/g, (found) => SPACING[found] ?? found));
}

/** A number with its noun: `1 key record`, `2 key records`. For nouns that take an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A POSIX time in ms as ISO 8601; what is no time that has this form stays as it is. */
export function timeText(ts: number | bigint | string): string {
  const date = new Date(Number(ts));
  return Number.isNaN(date.getTime()) ? String(ts) : date.toISOString();
}

/** What somebody typed; `null` for nothing. */
export function textOf(text: string | null | undefined): string | null {
  const typed = text?.trim() ?? '';
  return typed === '' ? null : typed;
}
