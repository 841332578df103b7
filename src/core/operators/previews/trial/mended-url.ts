import { parseUrl } from '../../../base/text/parse-url.js';
import type { Trace } from '../../../base/trace.js';

const HAS_SCHEME = /^\s*[a-z][a-z0-9+.-]*:/i;
/** `example.org:8080/a` begins like a scheme. */
const HOST_AND_PORT = /^\s*[^/?#:@\s]+:\d{1,5}(?:[/?#]|\s*$)/;

/**
 * The address with `https://` before it when people left that out, which is told as a stage; else as it is. Clients
 * send whole addresses, so for them nothing is mended.
 */
export function mendedUrl(url: string, trace: Trace): string {
  if (HAS_SCHEME.test(url) && !HOST_AND_PORT.test(url)) return url;
  const mended = `https://${url.trim().replace(/^\/+/, '')}`;
  if (parseUrl(mended) === null) return url;
  trace.step({
    name: 'scheme',
    title: 'Scheme',
    status: 'warning',
    ms: 0,
    sentence: `https:// assumed: ${mended}`,
    detail: { reason: 'scheme_assumed' },
  });
  return mended;
}
