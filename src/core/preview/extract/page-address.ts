import { parseUrl } from '../../base/text/parse-url.js';

const LONGEST = 2_000;

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

/** What relative addresses of the page are relative to: its `<base href>` where that is sensible. */
export function baseOfPage(href: string | null, address: URL): URL {
  const base = href === null ? null : parseUrl(href.trim(), address.href);
  return base !== null && isWeb(base) ? base : address;
}

/**
 * The address a page gives itself, where it can be believed: on the host it was found on (`www.` and `m.` aside),
 * and not the front page for something deeper. Else null.
 */
export function cleanAddress(raw: string, address: URL, base: URL): string | null {
  const text = raw.trim();
  const url = text === '' || text.length > LONGEST ? null : parseUrl(text, base.href);
  if (url === null || !isWeb(url) || url.username !== '' || url.password !== '') return null;
  if (plainHost(url) !== plainHost(address)) return null;
  const isFrontPage = url.pathname === '/' && url.search === '';
  if (isFrontPage && (address.pathname !== '/' || address.search !== '')) return null;
  return url.href;
}

function plainHost(url: URL): string {
  return url.hostname.replace(/^(?:www|m|mobile|amp)\./, '');
}

/** Whether an address can be asked over http or https. */
export function isWeb(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

/** Whether an address is the page's, another one of its site, or tells nothing. */
export type AddressRelation = 'here' | 'elsewhere' | 'unknown';

/**
 * Where `address` leads, seen from a page at `own`: protocol, `www.` and `m.`, fragment and a closing slash make no
 * difference, nor does a query that only one side has. Front pages and other hosts tell nothing of a page deeper down.
 */
export function relationOf(address: string | null, own: readonly URL[]): AddressRelation {
  const base = own[0];
  if (address === null || base === undefined || address.length > LONGEST) return 'unknown';
  const url = parseUrl(address.trim(), base.href);
  if (url === null || !isWeb(url)) return 'unknown';
  if (own.some((each) => isSamePage(url, each))) return 'here';
  const isDeeper = url.pathname !== '/' || url.search !== '';
  return isDeeper && own.some((each) => plainHost(each) === plainHost(url)) ? 'elsewhere' : 'unknown';
}

function isSamePage(a: URL, b: URL): boolean {
  if (plainHost(a) !== plainHost(b) || plainPath(a) !== plainPath(b)) return false;
  if (a.search === b.search) return true;
  return plainPath(a) !== '' && (a.search === '' || b.search === '');
}

function plainPath(url: URL): string {
  return url.pathname.replace(/\/$/, '').toLowerCase();
}
