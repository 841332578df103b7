import type { DownloadReason } from '../../preview/download/download-errors.js';
import { isKeyOf } from '../../base/json/is-record.js';

/** Reasons that are no failed download. */
type OtherReason =
  | 'disk_full'
  | 'media_not_written'
  | 'no_oembed'
  | 'no_picture'
  | 'page_unreadable'
  | 'picture_svg'
  | 'picture_too_large'
  | 'picture_undecoded'
  | 'scheme_assumed'
  | 'url_blocked'
  | 'wall'
  | 'worker_died'
  | 'worker_unavailable';

/** What an operator can do about a failure, by its machine-readable reason. Every view of a try reads this table. */
const ADVICE: Readonly<Record<DownloadReason | OtherReason, string>> = {
  aborted: 'The request was cancelled. Try again.',
  address_blocked:
    'The network address is in a refused range. If previews may use it, add it to url_preview_ip_range_whitelist.',
  address_busy: 'This server asks one address only so much at once. Try again in a minute.',
  bad_document: 'The document of the site cannot be used. Its operator has to fix it.',
  bad_http: 'The answer breaks the rules of HTTP, or a proxy damages it. Open the address in a browser.',
  body_corrupt: 'The answer is not compressed as its Content-Encoding says. The site has to fix it.',
  body_cut: 'The connection ended inside the answer. Try again; if it stays so, the site has to fix it.',
  busy: 'Concurrent downloads are limited, per host and by previews.max_concurrent. Try again, or raise that setting if the health check "Limits" names it.',
  connection_refused: 'Nothing listens there. The site is down, or the port is wrong.',
  connection_reset: 'The site closed the connection. It may refuse this server’s address or crawlers.',
  content_type: 'Only web pages, images and JSON are previewed. Other files have no preview.',
  data_url: 'The data: URL is malformed.',
  data_url_forbidden: 'Pages have an http or https address; data: URLs are for images inside a page.',
  disk_full: 'The disk of media_store_path or of the database is full. Delete media, or give it more room.',
  dns_busy: 'Too many names are looked up at once. Try again; Limits names who uses them.',
  dns_failure: 'The name servers answered with an error. Check the name, and the setting dns.servers.',
  dns_no_address: 'The name has no address. Check how it is written; the site may be gone.',
  dns_no_service: 'The domain says that it offers no such service.',
  dns_timeout: 'The name servers do not answer. Check the setting dns.servers and this machine’s network.',
  host_unreachable: 'There is no route to the site. Check this machine’s network and firewall.',
  http_encoding:
    'The answer is compressed in a way that was not asked for (Content-Encoding). The site has to fix it.',
  http_error: 'The site has an error of its own. Its operator has to fix it; try again later.',
  http_redirect:
    'The redirect cannot be followed. Open the address in a browser, and try the one it ends at.',
  http_status: 'The site refuses or does not know the address. Open it in a browser without signing in.',
  http_unavailable: 'The site is overloaded or limits requests. Try again in a few minutes.',
  media_not_written: 'media_store_path cannot be written. Check its owner and permissions.',
  no_oembed: 'The site answers no oEmbed for this address; its page is used.',
  no_picture: 'The address named as the image answers with something else. The site has to fix its og:image.',
  page_unreadable: 'The site sent no text. Check it in a browser without JavaScript.',
  picture_svg: 'Clients get the SVG itself: it has no thumbnails. Most clients show only other types.',
  picture_too_large: 'Clients get the original. Raise max_image_pixels if such images should shrink.',
  picture_undecoded: 'Clients get the original. Only whole JPEG, PNG, GIF, WebP and AVIF images shrink.',
  redirect_loop: 'The site redirects in a loop, often because it expects a cookie.',
  redirect_target: 'The site redirects without a usable Location. It has to fix that.',
  scheme: 'Only http and https addresses are previewed, without port 0.',
  scheme_assumed: 'Clients send whole addresses; without a scheme they get an error.',
  timeout_body: 'The site sends its answer too slowly. Try again later.',
  timeout_connect: 'The site accepts no connection in time. A firewall may drop our packets.',
  timeout_headers: 'The site accepted the connection but did not answer. It may be slow, or delay crawlers.',
  tls_expired:
    'The certificate has expired. The site has to renew it; if many have, check the clock of this machine.',
  tls_failure: 'The TLS handshake failed. The site may not support TLS 1.2 or newer.',
  tls_not_yet_valid: 'The certificate is not valid yet. Check the clock of this machine.',
  tls_plain_http: 'The server answered in plain HTTP. Use http://',
  tls_self_signed: 'The certificate is self-signed; such sites are not previewed.',
  tls_too_large:
    'The server sends too much in its TLS handshake, mostly a long certificate chain. It has to shorten it.',
  tls_unknown_ca: 'No known authority signed the certificate, or the site leaves out its chain.',
  tls_wrong_name:
    'The certificate is for another name. Check how the address is written, with and without www.',
  too_large: 'The answer is larger than max_spider_size. Raise that if such pages are wanted.',
  url_blocked: 'A URL rule refuses this address. "Check a URL" on the page Blocking shows which.',
  url_too_long: 'The address is too long for any site. Check what was pasted.',
  wall: 'The site shows a login, consent or bot check to this server. Only the site can change that.',
  worker_died: 'The worker thread died, perhaps because of another page. Try again.',
  worker_unavailable: 'The worker thread cannot be started; the log says why. Restart the server.',
};

/** Advice for a reason; `null` for one that needs none. */
export function adviceFor(reason: string): string | null {
  return isKeyOf(ADVICE, reason) ? ADVICE[reason] : null;
}
