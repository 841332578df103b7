/** Of a host: a name has 253 octets at most, one for each character at least; and a port. */
const MAX_HOST_LENGTH = 260;
/** A label has 63, one for each character, which may be written as two. */
const MAX_LABEL_LENGTH = 134;
/** What goes before a host where a URL has one, and the host with what may stand before and behind it. */
const AUTHORITY = /^(?:(?:https?|wss?|ftp|file):[/\\]*|[/\\]{2,})([^/\\?#]*)/i;
/** Of one character in UTF-8. */
const ESCAPES = /%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f]){1,3}/gi;
/** What may stand for the dot (UTS 46, 2.3). */
const DOTS = /[.\u3002\uff0e\uff61]/;

/**
 * An untrusted address as a URL, against `base` where one is given. Null for what is none, and for a host that is longer
 * than any name: reading one beyond ASCII takes a time that grows with the square of its length (UTS 46, RFC 3492).
 */
export function parseUrl(text: string, base?: string): URL | null {
  if (hasOverlongHost(text)) return null;
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Is the host of an address longer than any name? Nobody has an address for it. */
export function hasOverlongHost(text: string): boolean {
  if (text.length <= MAX_LABEL_LENGTH) return false;
  const [, authority = ''] = AUTHORITY.exec(text.replace(/^[\0- ]+/, '').replaceAll(/[\t\n\r]/g, '')) ?? [];
  const host = withoutBlanksBehind(authority.slice(authority.lastIndexOf('@') + 1));
  if (host.length <= MAX_LABEL_LENGTH) return false;
  const plain = host.replaceAll(ESCAPES, '%');
  return (
    isLonger(plain, MAX_HOST_LENGTH) || plain.split(DOTS).some((label) => isLonger(label, MAX_LABEL_LENGTH))
  );
}

/** In characters, which may have two units each. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || Array.from(text).length > most);
}

/** What ends an address without being part of it. */
function withoutBlanksBehind(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return text.slice(0, end);
}
