import { isJsonTooDeep } from '../../../base/json/json-depth.js';

/**
 * Parses the untrusted JSON of pages: wrapped in CDATA marks or HTML comments, with comments, trailing
 * commas or bare line breaks in strings. Undefined when it is broken beyond that, or nested deeper than 64.
 */
export function parseSloppyJson(script: string): unknown {
  const source = script.includes('<![CDATA[')
    ? script.replaceAll('<![CDATA[', '').replaceAll(']]>', '')
    : script;
  const start = firstOf(source, '{', '[');
  const end = Math.max(source.lastIndexOf('}'), source.lastIndexOf(']'));
  if (start === -1 || end < start) return undefined;
  const text = source.slice(start, end + 1);
  if (isJsonTooDeep(text)) return undefined;
  const value = parsed(text);
  if (value !== undefined) return value;
  // A quote in a comment turns inside and outside of strings about: the depth is known without comments only.
  const clean = repaired(text);
  return isJsonTooDeep(clean) ? undefined : parsed(clean);
}

function firstOf(text: string, a: string, b: string): number {
  const first = text.indexOf(a);
  const second = text.indexOf(b);
  if (first === -1 || second === -1) return Math.max(first, second);
  return Math.min(first, second);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** One walk: comments and trailing commas go, controls in strings become blanks. */
function repaired(text: string): string {
  const parts: string[] = [];
  let from = 0;
  let inString = false;
  const skip = (at: number, to: number): void => {
    parts.push(text.slice(from, at), ' ');
    from = to;
  };
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (inString) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) inString = false;
      else if (unit < 0x20) skip(at, at + 1);
      continue;
    }
    if (unit === QUOTE) {
      inString = true;
    } else if (text.startsWith('/*', at) || text.startsWith('//', at)) {
      const end = endOfComment(text, at);
      skip(at, end);
      at = end - 1;
    } else if (unit === 0x2c && isBeforeClosing(text, at + 1)) {
      skip(at, at + 1);
    }
  }
  parts.push(text.slice(from));
  return parts.join('');
}

function endOfComment(text: string, at: number): number {
  const mark = text[at + 1] === '*' ? '*/' : '\n';
  const end = text.indexOf(mark, at + 2);
  return end === -1 ? text.length : end + mark.length;
}

function isBeforeClosing(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && at < from + 1_000 && text.charCodeAt(at) <= 0x20) at += 1;
  return text[at] === '}' || text[at] === ']';
}
