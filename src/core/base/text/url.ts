import { storableText } from './strings.js';

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

/** `address` made absolute against `base`; data URLs stay as written. Null for anything but http, https and data. */
export function resolveAddress(address: string, base: URL): string | null {
  if (address.startsWith('data:')) return address;
  const url = parseUrl(address, base.href);
  return url === null || !isWeb(url) ? null : url.href;
}

/** What is asked for at `address`; the fragment is for the client. */
export function withoutFragment(address: string): string {
  return address.split('#', 1)[0] ?? '';
}

/** Whether an address can be asked over http or https. */
export function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** Host name of an address as lists are filtered by it: lower case, punycode, no dot at its end; empty without one. */
function hostOfUrl(url: string | null): string {
  return url === null ? '' : (parseUrl(url)?.hostname.replace(/\.$/, '') ?? '');
}

/** The last two labels of a host name, which it shares with all hosts below the same domain. */
export function hostEnd(host: string): string {
  return host.split('.').slice(-2).join('.');
}

/** The columns `host` and `hostEnd` of a row about an address. */
export function hostColumns(url: string | null) {
  const host = storableText(hostOfUrl(url));
  return { host, hostEnd: hostEnd(host) };
}

/** The host in text that somebody typed, in that form. Text that is no host name becomes lower case and matches nothing. */
function plainHost(text: string): string {
  const url = `http://${text.trim()}/`;
  return hostOfUrl(url) === '' ? text.toLowerCase() : hostOfUrl(url);
}

/** What `readHostPattern` takes, in words. */
export const HOST_PATTERN = '"example.org" is that host, "*.example.org" its subdomains, ".example.org" both';

/** Which hosts somebody means: `example.org` (that host), `*.example.org` (those below it), `.example.org` (both). */
export function readHostPattern(text: string) {
  const [, mark = '', name = ''] = /^(\*\.|\.|)(.*)$/s.exec(text.trim()) ?? [];
  return { name: plainHost(name), itself: mark !== '*.', below: mark !== '' };
}

type HostPattern = ReturnType<typeof readHostPattern>;

export function isHostMeant({ name, itself, below }: HostPattern, host: string): boolean {
  return (itself && host === name) || (below && host.endsWith(`.${name}`));
}

/** What a search in addresses may look at. */
export interface AddressSearch {
  /** Whether it passes over query strings and fragments, for somebody who must not see them. */
  hidesQueries?: boolean;
}

/**
 * The part of a URL that may be searched, so that no search finds what `Privacy.url` hides. User information is left
 * out. Where query strings are hidden, only the part before them is searched, and nothing of a URL with user
 * information.
 */
export function searchableUrl(url: string, host: string, { hidesQueries = false }: AddressSearch): string {
  const [open = ''] = url.split(/[?#]/, 1);
  const behindScheme = open.slice(open.indexOf(':') + 1).replaceAll('\\', '/');
  const rest = behindScheme.replace(/^[/\t\n\r]+/, '');
  const [authority = ''] = rest.split('/', 1);
  const namesUser = authority.includes('@');
  if (hidesQueries) return namesUser ? '' : open;
  return namesUser ? host + rest.slice(authority.length) + url.slice(open.length) : url;
}

/** The same for a text: of one that names an address with something hidden in it, nothing. */
export function searchableText(text: string, { hidesQueries = false }: AddressSearch): string {
  const namesAddress = text.replaceAll('\\', '/').includes(':/');
  return namesAddress && (hidesQueries || text.includes('@')) ? '' : text;
}
