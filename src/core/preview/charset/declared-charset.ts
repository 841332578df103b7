const BLANKS = ' \t\n\f\r';
const LABEL_CHARACTER = /^[A-Za-z0-9_.:+-]$/;

/**
 * The labels of the first `most` `<meta … charset=…>` in `markup` (bytes read as Latin-1, cut by the caller), also
 * those inside `content` of an http-equiv; bare, single- or double-quoted. Linear time.
 * WHATWG HTML §13.2.3.2, "prescan a byte stream".
 */
export function charsetsOfMetas(markup: string, most: number): string[] {
  const labels: string[] = [];
  const lower = markup.toLowerCase();
  for (let open = lower.indexOf('<'); open !== -1; open = lower.indexOf('<', open + 1)) {
    if (lower.startsWith('<!--', open)) {
      const end = lower.indexOf('-->', open + 4);
      if (end === -1) break;
      open = end;
      continue;
    }
    const name = skipBlanks(lower, open + 1);
    if (!lower.startsWith('meta', name)) continue;
    const end = lower.indexOf('>', name);
    const label = labelAfter(lower.slice(name + 4, end === -1 ? undefined : end), 'charset');
    if (label !== null && labels.push(label) >= most) break;
    if (end === -1) break;
    open = end;
  }
  return labels;
}

/** The label of an XML declaration at the very start (`<?xml … encoding="…"?>`), or null. XML 1.0 §4.3.3. */
export function charsetOfXmlDeclaration(markup: string): string | null {
  if (!markup.startsWith('<?xml')) return null;
  const end = markup.indexOf('?>');
  return end === -1 ? null : labelAfter(markup.slice(5, end).toLowerCase(), 'encoding');
}

/** The charset parameter of a Content-Type header, quoted or not, or null. RFC 9110 §8.3.1. */
export function charsetOfContentType(contentType: string | null): string | null {
  const parameters = contentType === null ? -1 : contentType.indexOf(';');
  if (contentType === null || parameters === -1) return null;
  return labelAfter(contentType.slice(parameters, parameters + 1024).toLowerCase(), 'charset');
}

/** Finds `word`, blanks, `=`, blanks, an optional quote and a label of at least one character. */
function labelAfter(text: string, word: string): string | null {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    const equals = skipBlanks(text, at + word.length);
    if (text[equals] !== '=') continue;
    let start = skipBlanks(text, equals + 1);
    if (text[start] === '"' || text[start] === "'") start = skipBlanks(text, start + 1);
    let end = start;
    while (LABEL_CHARACTER.test(text[end] ?? '')) end += 1;
    if (end > start) return text.slice(start, end);
  }
  return null;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && BLANKS.includes(text.charAt(at))) at += 1;
  return at;
}
