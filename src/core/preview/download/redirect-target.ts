import { hasOverlongHost, parseUrl } from '../../base/text/parse-url.js';
import { dnsFailed, downloadFailed } from './download-errors.js';

/** An address to fetch: as it was written, for URL rules, and parsed, for the request. */
export interface HopTarget {
  text: string;
  url: URL;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_URL_LENGTH = 8192;
/** SPEC §4.7.5 */
export const MAX_REDIRECTS = 20;

/** True for the statuses that are followed; 300 and 304 are not. */
export const isRedirect = (status: number): boolean => REDIRECTS.has(status);

/**
 * The first address of a fetch, as given by a user or a page.
 * @throws ApiError 500 for anything but http and https, and above 8192 characters; 502 as `parsed`.
 */
export function hopTarget(text: string): HopTarget {
  if (text.length > MAX_URL_LENGTH) throw downloadFailed('url_too_long', `${text.length} characters`);
  const url = parsed(text);
  if (url === null) throw downloadFailed('scheme', 'not an absolute address');
  return { text, url: fetchable(url) };
}

/**
 * Where a redirect leads, resolved against the hop that sent it.
 * @throws ApiError 500 when there is no usable `Location`, or it leaves http and https; 502 as `parsed`.
 */
export function redirectTarget(location: string | undefined, from: URL): HopTarget {
  const text = decodedHeader(location ?? '').trim();
  const resolved = text === '' || text.length > MAX_URL_LENGTH ? null : parsed(text, from.href);
  if (resolved === null) {
    throw downloadFailed('redirect_target', text === '' ? 'no Location' : 'Location cannot be used');
  }
  const isAbsolute = parsed(text)?.href === resolved.href;
  return { text: isAbsolute ? text : resolved.href, url: fetchable(resolved) };
}

/** Null for what is not a URL. @throws ApiError 502 where no name server can know the host. */
function parsed(text: string, base?: string): URL | null {
  if (!hasOverlongHost(text)) return parseUrl(text, base);
  throw dnsFailed('dns_no_address', { detail: 'a host name longer than any', address: null });
}

/** Credentials and the fragment are nothing the other side needs: they never leave this machine. */
function fetchable(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw downloadFailed('scheme', url.protocol);
  if (url.port === '0') throw downloadFailed('scheme', 'port 0');
  const target = new URL(url.href);
  target.username = '';
  target.password = '';
  target.hash = '';
  return target;
}

/** Header bytes arrive as Latin-1; servers mostly mean UTF-8. */
function decodedHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return value;
  }
}
