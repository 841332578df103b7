import type { OutboundReason } from '../../base/errors/outbound-error.js';
import { isKeyOf } from '../../base/json/is-record.js';
import type { JsonErrorReason } from '../../base/json/strict-json.js';
import type { TimedStep, TraceStep } from '../../base/trace.js';
import type { RecordErrorReason } from '../../notary/key-record/key-record.js';

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

const THEIRS = "Only that server's operator can fix this. Copy this message to them.";
const BAD_JSON = `The response is not strict JSON, so its signatures cannot be verified. ${THEIRS}`;
const BAD_SHAPE = `The record violates the specification. ${THEIRS}`;

/** What an operator can do, where the message does not say it. */
const ADVICE: Partial<Record<StepReason, string>> = {
  bad_name: 'Correct the server name: a host name or an address, with a port only if needed.',
  not_whitelisted:
    'Add the name to federation_domain_whitelist, or remove that setting; then reload the settings.',
  backing_off: 'Fix the failure, then refresh the keys: a refresh by an operator ignores back-off.',
  internal: 'This is a bug in this program. Check its log and report it.',

  address_blocked:
    'The address is in a blocked range. If the server is in your own network, add the address to ip_range_whitelist.',
  bad_document:
    'The delegation document must be a JSON object with m.server as a string. Check it in a browser.',
  connection_refused:
    'Nothing listens on this port. Check that the server runs and that the port (8448 unless delegated) is open.',
  connection_reset:
    'The other side closed the connection. Check their firewall, and whether their proxy knows the host name.',
  dns_failure:
    'The DNS servers returned an error. Check the DNS of the domain (delegation, DNSSEC) and dns.servers.',
  dns_no_address: 'The name has no A or AAAA record. Check the spelling.',
  dns_no_service:
    'The SRV record says that the service is not offered. It must be removed, or name a host with an address.',
  dns_timeout: 'The DNS resolver did not answer. Check that this machine can reach it, and dns.servers.',
  host_unreachable:
    'There is no route to this address. For an IPv6 address, check that this machine has IPv6.',
  http_error: `The server reported an internal error. See its log. ${THEIRS}`,
  http_encoding:
    'The response is compressed although we did not ask for it. Their proxy must not compress this path.',
  http_redirect:
    'Redirects are not followed. Their proxy must pass this path on, or a delegation document must be used.',
  http_status: 'The response is not a key record. Check that their proxy passes this path to the homeserver.',
  http_unavailable:
    'The server is overloaded or restarting, or its proxy cannot reach it. Try again in a few minutes.',
  timeout_body: 'The response was not complete in time. The server is overloaded, or packets are lost.',
  timeout_connect: 'No connection in time. A firewall may drop packets, or the machine is off.',
  timeout_headers: 'Connected, but no response in time. The server behind the proxy hangs or is overloaded.',
  tls_expired: 'The certificate has expired. Check its automatic renewal, and that the server was reloaded.',
  tls_failure: 'The TLS handshake failed. Check that the server supports TLS 1.2 or newer.',
  tls_not_yet_valid: 'The certificate is not valid yet. Check the clock of this machine first.',
  tls_plain_http:
    'The port speaks plain HTTP. It must speak TLS, or the name must be delegated to a port that does.',
  tls_self_signed:
    'The certificate is self-signed. Use a public certificate; in a closed network, add it to federation_custom_ca_list.',
  tls_too_large:
    'The server sends too many certificates; the limit is 32 KiB. It should only send its own chain.',
  tls_unknown_ca:
    'The certificate authority is not trusted, or the chain is incomplete. For your own authority, set federation_custom_ca_list.',
  tls_wrong_name:
    'The certificate is for another name. It must be for the server name or the delegated name.',
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

/** The advice for a reason that may come from the store or from elsewhere; null when there is none. */
function adviceOn(reason: string): string | null {
  if (isKeyOf(ADVICE, reason)) return ADVICE[reason] ?? null;
  if (reason.startsWith('json_')) return BAD_JSON;
  return reason.startsWith('record_') ? BAD_SHAPE : null;
}

/** A step with everything that people want to read about it. */
export interface DescribedStep extends TimedStep {
  title: string;
}

/** What the stages are called: those of a key fetch and of a diagnosis, in the order they come. */
export const STEP_TITLES: ReadonlyMap<string, string> = new Map([
  ['name', 'Server name'],
  ['allowed', 'Whitelist'],
  ['waiting', 'Back-off'],
  ['well-known', 'Delegation document'],
  ['srv', 'SRV record'],
  ['address', 'Addresses'],
  ['connect', 'Connection'],
  ['tls', 'Certificate'],
  ['response', 'Answer'],
  ['record', 'Key record'],
  ['validity', 'Validity'],
  ['keys', 'Keys'],
  ['wanted', 'Wanted key'],
  ['stored', 'Stored keys'],
]);

const NO_DOCUMENT =
  'The name itself is used instead. Nothing to do, unless the server is meant to be found through this document.';

/** A server, or a proxy before it, that does not keep up or is not there for a while. */
const OVERLOADED = new Set([429, 502, 503, 504]);

/** Errors of the document itself, for which the advice says more than that it is left out. */
const DOCUMENT_ERRORS = new Set(['bad_document', 'too_large', 'http_redirect', 'http_encoding']);

/** Adds title and advice to a step as the fetch reported it. */
export function describeStep(step: TimedStep): DescribedStep {
  const title = step.title ?? STEP_TITLES.get(step.name) ?? step.name;
  const advice = step.advice ?? adviceFor(step);
  return advice === null ? { ...step, title } : { ...step, title, advice };
}

/**
 * Steps of an earlier fetch, which are kept without the times they began: one follows the other, so each began when
 * those before it had ended.
 */
export function describeStoredSteps(steps: readonly TraceStep[]): DescribedStep[] {
  let beganMs = 0;
  return steps.map((step) => {
    const ms = Math.round(step.ms);
    const described = describeStep({ ...step, ms, startedAtMs: beganMs });
    beganMs += ms;
    return described;
  });
}

function adviceFor(step: TraceStep): string | null {
  if (step.status !== 'failed' && step.status !== 'warning') return null;
  const reason = reasonOf(step);
  if (reason === null) return null;
  if (step.name !== 'well-known' || DOCUMENT_ERRORS.has(reason)) return adviceOn(reason);
  return reason.startsWith('tls_') ? `${NO_DOCUMENT} ${adviceOn(reason) ?? ''}`.trim() : NO_DOCUMENT;
}

/** Why a step failed. Answers with a status other than 200 came about, so their step has no reason of its own. */
function reasonOf({ name, detail }: TraceStep): string | null {
  const reason = detail?.['reason'];
  if (typeof reason === 'string' && reason !== '') return reason;
  const status = Number(detail?.['status']);
  if (name !== 'response' || !Number.isInteger(status)) return null;
  if (OVERLOADED.has(status)) return 'http_unavailable';
  if (status >= 500) return 'http_error';
  return status >= 300 && status < 400 ? 'http_redirect' : 'http_status';
}
