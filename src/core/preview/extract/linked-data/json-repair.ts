/** Strings, which may be cut off, comments, and commas before a closing bracket. */
const PARTS = /"[^"\\]*(?:\\[^][^"\\]*)*"?|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|,(?=\s*[}\]])/g;
// oxlint-disable-next-line no-control-regex -- JSON forbids them in strings
const CONTROLS = /[\0-\x1f]/g;

/**
 * Parses the untrusted JSON of pages: wrapped in CDATA marks or HTML comments, with comments, trailing
 * commas or bare line breaks in strings. Undefined when it is broken beyond that.
 */
export function parseSloppyJson(script: string): unknown {
  const source = script.replaceAll('<![CDATA[', '').replaceAll(']]>', '');
  const start = source.search(/[{[]/);
  const end = Math.max(source.lastIndexOf('}'), source.lastIndexOf(']'));
  if (start === -1 || end < start) return undefined;
  const text = source.slice(start, end + 1);
  return parsed(text) ?? parsed(text.replaceAll(PARTS, repaired));
}

function repaired(part: string): string {
  return part.startsWith('"') ? part.replaceAll(CONTROLS, ' ') : ' ';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
