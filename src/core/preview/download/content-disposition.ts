const MAX_NAME_LENGTH = 255;

/** Controls, and the invisible characters that reorder text or have no width (Unicode bidi and format marks). */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/**
 * File name from a Content-Disposition header (RFC 6266): `filename*` if it is UTF-8, else `filename` if it is pure
 * ASCII; SPEC §4.7.5. Only the last path part is kept, without controls and direction marks, at most 255 characters.
 * Null when nothing usable is left.
 */
export function fileNameOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  const parameters = parametersOf(header);
  return safeName(extendedName(parameters.get('filename*')) ?? plainName(parameters.get('filename')));
}

/** `charset'language'percent-encoded` (RFC 8187); the language is of no use here. */
const EXTENDED = /^utf-8'[^']*'(.*)$/is;

function extendedName(value = ''): string | null {
  const [, encoded] = EXTENDED.exec(value) ?? [];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function plainName(value: string | undefined): string | null {
  if (value === undefined) return null;
  return Buffer.byteLength(value, 'utf8') === value.length ? value : null;
}

function safeName(name: string | null): string | null {
  if (name === null) return null;
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = base.replaceAll(UNSAFE, '').trim();
  if (clean === '' || clean === '.' || clean === '..') return null;
  return Array.from(clean).slice(0, MAX_NAME_LENGTH).join('');
}

/** Parameters by lower-case name, the last of equal ones; one pass, quotes and backslashes respected. */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let start = 0;
  let quoted = false;
  for (let at = 0; at <= header.length; at += 1) {
    const character = header[at];
    if (character === '\\' && quoted) at += 1;
    else if (character === '"') quoted = !quoted;
    if (at >= header.length || (character === ';' && !quoted)) {
      addParameter(parameters, header.slice(start, at));
      start = at + 1;
    }
  }
  return parameters;
}

function addParameter(parameters: Map<string, string>, text: string): void {
  const equals = text.indexOf('=');
  if (equals === -1) return;
  parameters.set(text.slice(0, equals).trim().toLowerCase(), unquoted(text.slice(equals + 1).trim()));
}

function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
}
