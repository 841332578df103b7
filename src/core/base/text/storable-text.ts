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
