import { hasOverlongHost, parseUrl } from '../../base/text/url.js';
import { dnsFailed, downloadFailed, dataUrlFailed } from './download-errors.js';

/** An address to fetch: as it was written, for URL rules, and parsed, for the request. */
interface HopTarget {
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

interface DataUrlContent {
  /** As written, `text/plain;charset=US-ASCII` when absent (RFC 2397). */
  contentType: string;
  body: Buffer;
}

const MAX_LENGTH = 2 * 1024 * 1024;
const MAX_TYPE_LENGTH = 1000;
const DEFAULT_TYPE = 'text/plain;charset=US-ASCII';
const PERCENT = 0x25;

/** True for an address with the scheme `data`, in any case and behind blanks. */
export function isDataUrl(url: string): boolean {
  return url.trimStart().slice(0, 5).toLowerCase() === 'data:';
}

/**
 * Reads a data URL (RFC 2397) in linear time, at most 2 MiB of text.
 * @throws ApiError 500 of SPEC §7 when it is too long, has no comma or is no base64.
 */
export function parseDataUrl(url: string): DataUrlContent {
  if (url.length > MAX_LENGTH) throw dataUrlFailed('too long');
  const text = url.trim().slice(5);
  const comma = text.indexOf(',');
  if (comma === -1) throw dataUrlFailed('no comma');
  const head = text.slice(0, comma).trim();
  if (head.length > MAX_TYPE_LENGTH) throw dataUrlFailed('media type is too long');
  const lastPart = head.slice(head.lastIndexOf(';') + 1);
  const isBase64 = head.includes(';') && lastPart.trim().toLowerCase() === 'base64';
  const bytes = percentDecode(Buffer.from(text.slice(comma + 1), 'utf8'), { dropsBlanks: isBase64 });
  const type = isBase64 ? head.slice(0, head.lastIndexOf(';')).trimEnd() : head;
  return { contentType: type === '' ? DEFAULT_TYPE : type, body: isBase64 ? decodeBase64(bytes) : bytes };
}

/** In place. Blanks go on the way: with an expression a million of them would take a tenth of a second. */
function percentDecode(bytes: Buffer, { dropsBlanks }: { dropsBlanks: boolean }): Buffer {
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const high = bytes[at] === PERCENT ? hexValue(bytes[at + 1]) : -1;
    const low = high === -1 ? -1 : hexValue(bytes[at + 2]);
    const byte = low === -1 ? (bytes[at] ?? 0) : high * 16 + low;
    if (low !== -1) at += 2;
    if (dropsBlanks && isBlank(byte)) continue;
    bytes[length] = byte;
    length += 1;
  }
  return bytes.subarray(0, length);
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c;
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1;
}

/** The forgiving base64 of the WHATWG Infra standard, blanks dropped already: padding is optional. */
function decodeBase64(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const digits = text.length % 4 === 0 ? text.replace(/={1,2}$/, '') : text;
  if (digits.length % 4 === 1 || !/^[A-Za-z0-9+/]*$/.test(digits)) throw dataUrlFailed('bad base64');
  return Buffer.from(digits, 'base64');
}
