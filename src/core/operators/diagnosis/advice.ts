import type { OutboundReason } from '../../base/errors/outbound-error.js';
import { isKeyOf } from '../../base/json/is-record.js';
import type { JsonErrorReason } from '../../base/json/strict-json.js';
import type { RecordErrorReason } from '../../notary/key-record/key-record.js';
import type { DownloadReason } from '../../preview/download/download-errors.js';

/** What only a diagnosis finds out; fetches succeed all the same. */
export type DiagnosisReason =
  | 'bad_name'
  | 'not_whitelisted'
  | 'backing_off'
  | 'http_not_found'
  | 'internal'
  | 'record_expired'
  | 'record_expires_soon'
  | 'record_unproven'
  | 'key_missing'
  | 'key_replaced';

/** Every reason a step of a key fetch may carry. */
export type StepReason = OutboundReason | RecordErrorReason | JsonErrorReason | DiagnosisReason;

/** Reasons for which a preview lacks something, or that only a trial tells. */
type PreviewReason =
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

/** What an operator can do about a failed request of any kind, by its machine-readable reason. */
const REQUESTS = {
  aborted: 'The request was cancelled. Try again.',
  address_busy: 'This server asks one address only so much at once. Try again in a minute.',
  bad_http: 'The answer breaks the rules of HTTP, or a proxy damages it. Open the address in a browser.',
  body_corrupt: 'The answer is not compressed as its Content-Encoding says. The server has to fix it.',
  body_cut: 'The connection ended inside the answer. Try again; if it stays so, the server has to fix it.',
  connection_refused:
    'Nothing listens on this port. The server is down, or the port is wrong (8448 for keys, unless delegated).',
  connection_reset: 'The other side closed the connection. Its firewall or proxy may refuse this server.',
  dns_busy: 'Too many names are looked up at once. Try again; Limits names who uses them.',
  dns_failure:
    'The DNS servers returned an error. Check the DNS of the domain (delegation, DNSSEC) and dns.servers.',
  dns_no_address: 'The name has no A or AAAA record. Check the spelling.',
  dns_no_service:
    'The SRV record says that the service is not offered. It must be removed, or name a host with an address.',
  dns_timeout: 'The DNS resolver did not answer. Check that this machine can reach it, and dns.servers.',
  host_unreachable:
    'There is no route to this address. For an IPv6 address, check that this machine has IPv6.',
  http_encoding:
    'The answer is compressed in a way that was not asked for. The server or its proxy has to fix it.',
  http_error:
    'The server reported an internal error. Its operator has to look into its log; try again later.',
  http_unavailable:
    'The server is overloaded, restarting or limits requests, or its proxy cannot reach it. Try again in a few minutes.',
  timeout_body: 'The response was not complete in time. The server is overloaded, or packets are lost.',
  timeout_connect: 'No connection in time. A firewall may drop packets, or the machine is off.',
  timeout_headers: 'Connected, but no answer in time. The server hangs or is overloaded, or delays crawlers.',
  tls_expired:
    'The certificate has expired. It has to be renewed and the server reloaded; if many have, check the clock of this machine.',
  tls_failure: 'The TLS handshake failed. Check that the server supports TLS 1.2 or newer.',
  tls_not_yet_valid: 'The certificate is not valid yet. Check the clock of this machine first.',
  tls_too_large:
    'The server sends too many certificates; the limit is 32 KiB. It should only send its own chain.',
  tls_wrong_name:
    'The certificate is for another name. Check how an address is written, with and without www. For keys it must be for the server name or the delegated name.',
} as const satisfies Partial<Record<DownloadReason, string>>;

const THEIRS = "Only that server's operator can fix this. Copy this message to them.";
const BAD_JSON = `The response is not strict JSON, so its signatures cannot be verified. ${THEIRS}`;
const BAD_SHAPE = `The record violates the specification. ${THEIRS}`;

/** The same of key fetches, where the message does not say it. */
const KEYS: Partial<Record<StepReason, string>> = {
  bad_name: 'Correct the server name: a host name or an address, with a port only if needed.',
  not_whitelisted:
    'Add the name to federation_domain_whitelist, or remove that setting; then reload the settings.',
  backing_off: 'Fix the failure, then refresh the keys: a refresh by an operator ignores back-off.',
  internal: 'This is a bug in this program. Check its log and report it.',
  address_blocked:
    'The address is in a blocked range. If the server is in your own network, add the address to ip_range_whitelist.',
  bad_document:
    'The delegation document must be a JSON object with m.server as a string. Check it in a browser.',
  http_redirect:
    'Redirects are not followed. Their proxy must pass this path on, or a delegation document must be used.',
  http_status: 'The response is not a key record. Check that their proxy passes this path to the homeserver.',
  tls_plain_http:
    'The port speaks plain HTTP. It must speak TLS, or the name must be delegated to a port that does.',
  tls_self_signed:
    'The certificate is self-signed. Use a public certificate; in a closed network, add it to federation_custom_ca_list.',
  tls_unknown_ca:
    'The certificate authority is not trusted, or the chain is incomplete. For your own authority, set federation_custom_ca_list.',
  too_large: 'The response is larger than 256 KiB, so it is not a key record. Check what listens there.',
  record_name_mismatch:
    'Another server answered. Check the delegation, and how the proxy handles host names.',
  record_weak_key: `A key is weak: anybody can forge its signatures. The server must change it. ${THEIRS}`,
  record_banned_key:
    'The private key is public knowledge. The server must change it; do not trust its signatures.',
  record_no_signature: `No listed key has signed the record, so nothing proves that it is authentic. ${THEIRS}`,
  record_bad_signature:
    'A signature is invalid: a proxy or cache changed the record, or the server signs incorrectly.',
  record_unproven_key:
    'A listed key has not signed the record, which federation.require_all_keys_signed demands. The server must sign with all its keys.',
  record_expired:
    'The published record has expired. Check the clock of the server, and caches in front of it.',
  record_expires_soon:
    'The record expires soon, so it will be fetched often. The server should publish longer validity.',
  record_unproven: 'Some listed keys have not signed the record. The server should sign with all its keys.',
  key_missing: 'The server does not publish this key: it was rotated, or the ID is misspelt.',
  key_replaced:
    'A key changed under the same ID. Legitimate rotations use a new key ID. Ask the operator out of band before you trust it.',
  json_syntax: `The response is not JSON. If it is an HTML page, their proxy does not pass this path to the homeserver. ${THEIRS}`,
};

/** The same of previews. */
const PREVIEWS: Readonly<Record<Exclude<DownloadReason, keyof typeof REQUESTS> | PreviewReason, string>> = {
  address_blocked:
    'The network address is in a refused range. If previews may use it, add it to url_preview_ip_range_whitelist.',
  bad_document: 'The document of the site cannot be used. Its operator has to fix it.',
  busy: 'Concurrent downloads are limited, per host and by previews.max_concurrent. Try again, or raise that setting if the health check "Limits" names it.',
  content_type: 'Only web pages, images and JSON are previewed. Other files have no preview.',
  data_url: 'The data: URL is malformed.',
  data_url_forbidden: 'Pages have an http or https address; data: URLs are for images inside a page.',
  disk_full: 'The disk of media_store_path or of the database is full. Delete media, or give it more room.',
  http_redirect:
    'The redirect cannot be followed. Open the address in a browser, and try the one it ends at.',
  http_status: 'The site refuses or does not know the address. Open it in a browser without signing in.',
  media_not_written:
    'media_store_path cannot be written, or not in time. Check its permissions and its disk.',
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
  tls_plain_http: 'The server answered in plain HTTP. Use http://',
  tls_self_signed: 'The certificate is self-signed; such sites are not previewed.',
  tls_unknown_ca: 'No known authority signed the certificate, or the site leaves out its chain.',
  too_large: 'The answer is larger than max_spider_size. Raise that if such pages are wanted.',
  url_blocked: 'A URL rule refuses this address. "Check a URL" on the page Blocking shows which.',
  url_too_long: 'The address is too long for any site. Check what was pasted.',
  wall: 'The site shows a login, consent or bot check to this server. Only the site can change that.',
  worker_died: 'The worker thread died, perhaps because of another page. Try again.',
  worker_unavailable: 'The worker thread cannot be started; the log says why. Restart the server.',
};

/** The advice for a failed step of a key fetch; null when there is none. */
export function keyAdvice(reason: string): string | null {
  if (isKeyOf(KEYS, reason)) return KEYS[reason] ?? null;
  if (isKeyOf(REQUESTS, reason)) return REQUESTS[reason];
  if (reason.startsWith('json_')) return BAD_JSON;
  return reason.startsWith('record_') ? BAD_SHAPE : null;
}

/** The advice for a failed stage of a preview; null when there is none. */
export function previewAdvice(reason: string): string | null {
  if (isKeyOf(PREVIEWS, reason)) return PREVIEWS[reason];
  return isKeyOf(REQUESTS, reason) ? REQUESTS[reason] : null;
}
