import type { OutboundRequest, OutboundResponse, SafeHttpClient } from './safe-http-client.js';
import { outboundError } from '../../base/errors/outbound-error.js';
import { parseUrl } from '../../base/text/parse-url.js';

export interface FollowOptions extends Omit<OutboundRequest, keyof Hop> {
  /** The first hop, which need not be what its URL says (another port, say). */
  first: Hop;
  maxRedirects: number;
}

type Hop = Pick<OutboundRequest, 'host' | 'port' | 'hostHeader' | 'tlsName' | 'path'>;

const HTTPS_PORT = 443;
const MAX_LOCATION_LENGTH = 8192;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Follows redirects over https only; the address guard and the certificate check hold anew for each hop.
 * The headers given go to every hop, so they must hold no secrets.
 * @throws ApiError `http_redirect` for too many hops, another scheme or an unusable target, and all of
 * `SafeHttpClient.fetchBounded`.
 */
export async function fetchFollowing(
  httpClient: SafeHttpClient,
  options: FollowOptions,
): Promise<OutboundResponse> {
  const { first, maxRedirects, ...common } = options;
  let hop = first;
  for (let followed = 0; ; followed += 1) {
    const response = await httpClient.fetchBounded({ ...common, ...hop });
    if (!REDIRECTS.has(response.status)) return response;
    if (followed >= maxRedirects) throw outboundError('http_redirect', `more than ${maxRedirects} redirects`);
    hop = nextHop(response.headers.get('location') ?? '', hop);
  }
}

function nextHop(location: string, from: Hop): Hop {
  if (location === '' || location.length > MAX_LOCATION_LENGTH) {
    throw outboundError('http_redirect', 'redirect without a usable Location');
  }
  const base = `https://${from.hostHeader}${from.path}`;
  const url = parseUrl(location, base);
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw outboundError('http_redirect', 'redirect to something that is not a plain https address');
  }
  // A redirect within the same site stays on the port that was connected to.
  if (url.host === new URL(base).host) return { ...from, path: url.pathname + url.search };
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  if (port === 0) throw outboundError('http_redirect', 'redirect to port 0');
  return { host, port, hostHeader: url.host, tlsName: host, path: url.pathname + url.search };
}
