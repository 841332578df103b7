/** Foreign text as every database takes it: PostgreSQL has no U+0000. */
export function storableText(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD');
}

/** The same for every text within a JSON-like value of known shape. */
export function storableJson<T>(value: T): T {
  const json = JSON.stringify(value);
  return json.includes('\\u0000') ? (JSON.parse(json.replaceAll('\\u0000', '\\ufffd')) as T) : value;
}

/** A JSON-like value of known shape as the text of a JSON column. */
export function storableJsonText(value: unknown): string {
  const json = JSON.stringify(value);
  if (!json.includes('\\u0000')) return json;
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'string' ? storableText(inner) : inner,
  );
}
