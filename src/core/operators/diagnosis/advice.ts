import { isKeyOf } from '../../base/json/is-record.js';
import type { JsonErrorReason } from '../../base/json/strict-json.js';
import type { RecordErrorReason } from '../../notary/key-record/record-error.js';
import type { OutboundReason } from '../../base/errors/outbound-error.js';

/** What only a diagnosis finds out; fetches go through all the same. */
export type DiagnosisReason =
  | 'bad_name'
  | 'not_whitelisted'
  | 'backing_off'
  | 'http_not_found'
  | 'internal'
  | 'record_expired'
  | 'record_expires_soon'
  | 'record_unproven'
  | 'record_odd_old_key'
  | 'key_missing'
  | 'key_replaced';

/** Every reason a step of a key fetch may carry. */
export type StepReason = OutboundReason | RecordErrorReason | JsonErrorReason | DiagnosisReason;

const ASK_ITS_OPERATOR = 'Only the operator of the server can mend this; send them this sentence.';
const JSON_ERROR = `The text is no JSON that everybody reads alike, so no signature over it can be trusted. ${ASK_ITS_OPERATOR}`;
const SHAPE_ERROR = `The software of the server makes records that break the specification. ${ASK_ITS_OPERATOR}`;

/** The next step for operators, in plain words, for each reason. `null`: there is nothing to do. */
export const ADVICE: Record<StepReason, string | null> = {
  bad_name: 'Correct the name: host name or address, and a port only where the server needs one.',
  not_whitelisted:
    'Add the name to federation_domain_whitelist, exactly as it stands here, or remove that setting to allow everybody; then reload the settings.',
  backing_off: 'Mend what failed, then refresh the keys: a refresh by an operator does not wait.',
  http_not_found: null,
  internal: 'This is an error of this program. Look into its log at this time, and report it.',

  aborted: 'It was cancelled, perhaps because the service stopped. Try again.',
  address_blocked:
    'The address lies in a blocked range. If the server is one of your own network, add its address to ip_range_whitelist; otherwise its DNS records are wrong, or meant to make us ask inside our network.',
  address_busy: 'Many fetches wait for the same address. Try again in a minute.',
  bad_document:
    'The delegation document has to be a JSON object with the name of the server as text. Open its address in a browser and compare.',
  bad_http:
    'What listens there does not speak HTTP properly. Check that the port is the one of the server and not of something else.',
  body_cut:
    'The connection broke within the answer. Check the reverse proxy of the server for time limits and restarts.',
  connection_refused:
    'Nothing listens at that address and port. Check that the server runs, that the port is right (8448 unless delegated) and open in its firewall.',
  connection_reset:
    'The other side closed the connection. Often a firewall, or a proxy that does not know this host name.',
  dns_busy: 'Too many look-ups of names are under way here. Try again in a few seconds.',
  dns_failure:
    'The name servers gave an error. Check the DNS of the domain (delegation, DNSSEC), and the resolver of this machine.',
  dns_no_address:
    'The name has no A or AAAA record. Check the spelling; else the domain has gone or its records were removed.',
  dns_no_service:
    'The SRV record says that the service is not offered. Remove it, or let it point to a host name with an address.',
  dns_timeout:
    'The resolver did not answer in time. Check that this machine can reach its resolver, and the setting dns.servers.',
  host_unreachable:
    'There is no route to that address. With an IPv6 address, check that this machine has IPv6 at all; otherwise the network in between.',
  http_encoding:
    'The server compresses although it was asked not to. Switch compression off for this path in its proxy.',
  http_redirect:
    'Keys are not fetched through redirects. Let the proxy of the server pass the path on instead of redirecting, or delegate by a document.',
  http_status:
    'The web server answers, but not with keys. Check that its proxy passes this path on to the homeserver; if the path looks wrong, compare the setting dialect.',
  http_unavailable:
    'The server is overloaded, restarting, or its proxy cannot reach it. Try again in a few minutes.',
  timeout_body:
    'The answer began but did not end in time. The server is overloaded, or the network in between loses packets.',
  timeout_connect:
    'Nothing answered at that address and port in time. Usually a firewall that drops packets, or a machine that is switched off.',
  timeout_headers:
    'The connection stands, but no answer came. The server behind the proxy hangs or is overloaded.',
  tls_expired:
    'The certificate has expired. It has to be renewed on the server; check its automatic renewal, and that it was reloaded.',
  tls_failure:
    'No encrypted connection came about. Check that the port speaks TLS and not plain HTTP, and TLS 1.2 or newer; try openssl s_client -connect with the address above.',
  tls_not_yet_valid:
    'The certificate is not valid yet. Check the clock of this machine first, then the certificate.',
  tls_self_signed:
    'The server vouches for itself. It needs a certificate of a public authority; for a closed network, put its certificate into federation_custom_ca_list.',
  tls_too_large:
    'The server sends far more certificates than it needs. It should send its own and those in between, nothing else; the limit is 32 KiB.',
  tls_unknown_ca:
    'The certificate comes from an authority that is not trusted here, or the server does not send the certificates in between (full chain). For an authority of your own, use federation_custom_ca_list.',
  tls_wrong_name:
    'The certificate is for other names. It has to be for the server name, or for the name the document delegates to; the target of an SRV record does not count.',
  too_large: 'The answer is larger than any honest one. Check what answers there; the limit is 256 KiB.',

  record_not_object: SHAPE_ERROR,
  record_name_mismatch:
    'Another server answered under this name. Check the delegation and the host name handling of the proxy: it has to be the server with exactly this name.',
  record_bad_validity: SHAPE_ERROR,
  record_bad_shape: SHAPE_ERROR,
  record_bad_key: `A key in the record is no Ed25519 key. ${ASK_ITS_OPERATOR}`,
  record_bad_key_id: `A key has a name that cannot be kept. ${ASK_ITS_OPERATOR}`,
  record_weak_key: `A key is of a kind for which anybody can make signatures. The server must change its key. ${ASK_ITS_OPERATOR}`,
  record_banned_key:
    'The private part of this key is publicly known, so anybody can sign with it. The server must change its key; do not trust what it signs.',
  record_too_many_keys: 'No honest server has that many keys. The limit is 250.',
  record_no_signature: `The record is not signed by a key it lists, so nothing proves that it is the server's own. ${ASK_ITS_OPERATOR}`,
  record_bad_signature:
    'A signature does not fit the record: it was changed on its way (by a proxy or cache), or the server signs wrongly. Do not trust it until this is cleared up.',
  record_too_many_signatures: 'No honest server signs that often. Do not trust what it publishes.',
  record_unproven_key:
    'A listed key did not sign the record, which federation.require_all_keys_signed demands. The server should sign with each of its keys.',

  record_expired:
    'The server publishes a record that is no longer valid. Check its clock, and whether the answer comes from a cache in front of it.',
  record_expires_soon:
    'The record ends soon, so it will be fetched often. Nothing to do here; the server should publish longer ones.',
  record_unproven:
    'Some keys are listed that did not sign. Nobody can prove their possession; the server should sign with each of its keys.',
  record_odd_old_key:
    'Harmless for the keys in use. The server should remove such old keys from its configuration.',
  key_missing:
    'The server does not publish this key. It was changed, or the ID is misspelt; what it signed can be verified only where the key is still stored.',
  key_replaced:
    'A key has changed although its ID has not, which never happens by itself. Ask the operator of the server out of band before you trust it: the server may be in other hands.',

  json_syntax: JSON_ERROR,
  json_not_utf8: JSON_ERROR,
  json_depth: JSON_ERROR,
  json_parts: SHAPE_ERROR,
  json_duplicate_member: JSON_ERROR,
  json_float: JSON_ERROR,
  json_negative_zero: JSON_ERROR,
  json_number_length: JSON_ERROR,
  json_lone_surrogate: JSON_ERROR,
};

/** The advice for a reason that may come from the store or from elsewhere; null when there is none. */
export function adviceOn(reason: string): string | null {
  return isKeyOf(ADVICE, reason) ? ADVICE[reason] : null;
}
