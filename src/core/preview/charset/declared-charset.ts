const COMMENT = /<!--[^]*?(?:-->|$)/g;
const META = /<[ \t\n\f\r]*meta([^>]*)/gi;
const CHARSET = /charset[ \t\n\f\r]*=[ \t\n\f\r]*["']?[ \t\n\f\r]*([\w.:+-]+)/i;
const ENCODING = /^<\?xml[^>]*?encoding[ \t\n\f\r]*=[ \t\n\f\r]*["']?[ \t\n\f\r]*([\w.:+-]+)/i;
const LONGEST_LABEL = 40;

/**
 * The labels of the first `most` `<meta … charset=…>` in `markup` (bytes read as Latin-1, cut by the caller), also
 * those inside `content` of an http-equiv. WHATWG HTML §13.2.3.2, "prescan a byte stream".
 */
export function charsetsOfMetas(markup: string, most: number): string[] {
  const labels: string[] = [];
  for (const [, attributes = ''] of markup.replaceAll(COMMENT, '').matchAll(META)) {
    const label = CHARSET.exec(attributes)?.[1];
    if (label !== undefined && labels.push(label) >= most) break;
  }
  return labels;
}

/** The label of an XML declaration at the very start (`<?xml … encoding="…"?>`), or null. XML 1.0 §4.3.3. */
export function charsetOfXmlDeclaration(markup: string): string | null {
  return ENCODING.exec(markup)?.[1] ?? null;
}

/** The charset parameter of a Content-Type header, quoted or not, or null. RFC 9110 §8.3.1. */
export function charsetOfContentType(contentType: string | null): string | null {
  const parameters = contentType?.split(';').slice(1).join(';').slice(0, 1_024) ?? '';
  return CHARSET.exec(parameters)?.[1] ?? null;
}

/**
 * The encoding a label stands for (`latin1` gives `windows-1252`), or null when it is unknown, absurdly long
 * or one that must not be decoded (`replacement`, `x-user-defined`). WHATWG Encoding Standard §4.2.
 */
export function encodingOfLabel(label: string): string | null {
  if (label.length > LONGEST_LABEL) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}
