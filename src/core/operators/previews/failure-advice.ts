/** What an operator can do about a failure, by its machine-readable reason. Every view of a try reads this table. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['url_blocked', 'A URL rule refuses this address. "Check a URL" on the page Blocking shows which.'],
  [
    'address_blocked',
    'The network address is in a refused range. If previews may use it, add it to url_preview_ip_range_whitelist.',
  ],
  ['dns_failure', 'The name servers answered with an error. Check the name, and the setting dns.servers.'],
  ['dns_no_address', 'The name has no address. Check how it is written; the site may be gone.'],
  [
    'dns_timeout',
    'The name servers do not answer. Check the setting dns.servers and this machine’s network.',
  ],
  ['connection_refused', 'Nothing listens there. The site is down, or the port is wrong.'],
  ['connection_reset', 'The site closed the connection. It may refuse this server’s address or crawlers.'],
  ['host_unreachable', 'There is no route to the site. Check this machine’s network and firewall.'],
  ['timeout_connect', 'The site accepts no connection in time. A firewall may drop our packets.'],
  [
    'timeout_headers',
    'The site accepted the connection but did not answer. It may be slow, or delay crawlers.',
  ],
  ['tls_failure', 'The TLS handshake failed. The site may not support TLS 1.2 or newer.'],
  ['tls_plain_http', 'The server answered in plain HTTP. Use http://'],
  ['tls_self_signed', 'The certificate is self-signed; such sites are not previewed.'],
  ['tls_unknown_ca', 'No known authority signed the certificate, or the site leaves out its chain.'],
  ['http_status', 'The site refuses or does not know the address. Open it in a browser without signing in.'],
  ['http_error', 'The site has an error of its own. Its operator has to fix it; try again later.'],
  ['http_unavailable', 'The site is overloaded or limits requests. Try again in a few minutes.'],
  ['redirect_loop', 'The site redirects in a loop, often because it expects a cookie.'],
  ['scheme_assumed', 'Clients send whole addresses; without a scheme they get an error.'],
  [
    'busy',
    'Concurrent downloads are limited, per host and by previews.max_concurrent. Try again, or raise that setting if the health check "Limits" names it.',
  ],
  [
    'disk_full',
    'The disk of media_store_path or of the database is full. Delete media, or give it more room.',
  ],
  ['media_not_written', 'media_store_path cannot be written. Check its owner and permissions.'],
  ['worker_died', 'The worker thread died, perhaps because of another page. Try again.'],
  ['worker_unavailable', 'The worker thread cannot be started; the log says why. Restart the server.'],
  ['wall', 'The site shows a login, consent or bot check to this server. Only the site can change that.'],
  [
    'picture_undecoded',
    'Clients get the original. Only JPEG, PNG, GIF, WebP and AVIF below max_image_pixels shrink.',
  ],
]);

/** Advice for a reason; `null` for one that needs none. */
export function adviceFor(reason: string | null): string | null {
  return reason === null ? null : (ADVICE.get(reason) ?? null);
}
