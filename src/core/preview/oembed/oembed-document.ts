import { isUtf8 } from 'node:buffer';

/** An oEmbed answer as parsed: member values of any type. */
export type OembedDocument = Readonly<Record<string, unknown>>;

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;

/**
 * Parses the bytes of an oEmbed answer (oEmbed §2.3): an object in JSON and UTF-8, at most 1 MiB and 64 levels deep,
 * of version 1.0 or without a version. Null for everything else.
 */
export function parseOembed(body: Buffer): OembedDocument | null {
  if (body.length > MAX_BYTES || !isUtf8(body)) return null;
  const text = body.toString('utf8');
  if (isTooDeep(text)) return null;
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const document = value as OembedDocument;
  return hasKnownVersion(document) ? document : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function hasKnownVersion({ version }: OembedDocument): boolean {
  return version === undefined || version === '1.0' || version === 1;
}

/** Counted before parsing, in one pass over the text: brackets inside of strings do not count. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
