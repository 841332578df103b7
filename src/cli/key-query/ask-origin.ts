import { ApiError } from '../../core/base/errors/api-error.js';
import { FetchRecorder, type FetchStep } from '../../core/notary/federation/fetch-trace.js';
import { isJsonObject, type JsonObject } from '../../core/base/json/json-value.js';
import { parseStrictJson } from '../../core/base/json/strict-json.js';
import type { AcceptedRecord } from '../../core/notary/key-record/key-record.js';
import { judgeSignatures, type SignatureVerdict } from '../../core/notary/key-record/signature-verdicts.js';
import { withKeyFetcher } from '../../composition/key-fetch.js';
import type { UsableConfig } from '../configuration.js';

/** How asking an origin for its keys ended, and everything that was seen on the way. */
export interface KeyReport {
  serverName: string;
  outcome: 'verified' | 'refused' | 'unreachable';
  /** Why it was not verified; null when it was. */
  error: { message: string; reason: string | null; detail: string | null } | null;
  /** What the record says once it is accepted. */
  accepted: AcceptedRecord | null;
  /** The record as published, also a refused one; null when there was none that could be read. */
  record: JsonObject | null;
  signatures: SignatureVerdict[];
  signaturesLeftOut: number;
  steps: readonly FetchStep[];
}

const NO_ANSWER = new Set([
  'connection_refused',
  'connection_reset',
  'dns_failure',
  'dns_no_address',
  'dns_no_service',
  'dns_timeout',
  'host_unreachable',
  'http_unavailable',
  'timeout_body',
  'timeout_connect',
  'timeout_headers',
]);

/** Whether a failure means that no answer came at all. */
function meansUnreachable(reason: string | null): boolean {
  return reason !== null && NO_ANSWER.has(reason);
}

/** Asks a server for its own record, under the rules of the configuration. Neither asks nor changes the store. */
export async function askOrigin(loaded: UsableConfig, serverName: string): Promise<KeyReport> {
  const { config } = loaded;
  const report = emptyReport(serverName);
  if (config.federation_domain_whitelist?.includes(serverName) === false) {
    const message = 'The server is not in federation_domain_whitelist';
    return { ...report, error: { message, reason: 'not_whitelisted', detail: null } };
  }
  const trace = new FetchRecorder();
  try {
    const seen = (body: Buffer) => Object.assign(report, readRecord(body, serverName));
    const { record } = await withKeyFetcher(loaded, (fetcher) => fetcher.fetch(serverName, trace, { seen }));
    return { ...report, outcome: 'verified', accepted: record, steps: trace.steps };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const outcome = meansUnreachable(error.reason) ? 'unreachable' : 'refused';
    return { ...report, outcome, error: errorOf(error), steps: trace.steps };
  }
}

function emptyReport(serverName: string): KeyReport {
  return {
    serverName,
    outcome: 'refused',
    error: null,
    accepted: null,
    record: null,
    signatures: [],
    signaturesLeftOut: 0,
    steps: [],
  };
}

function readRecord(
  body: Buffer,
  serverName: string,
): Pick<KeyReport, 'record' | 'signatures' | 'signaturesLeftOut'> | null {
  try {
    const record = parseStrictJson(body);
    if (!isJsonObject(record)) return null;
    const { verdicts, leftOut } = judgeSignatures(record, serverName);
    return { record, signatures: verdicts, signaturesLeftOut: leftOut };
  } catch (error) {
    // What cannot be read is told by the check of the whole record.
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function errorOf({ message, reason, detail }: ApiError): KeyReport['error'] {
  return { message, reason, detail };
}
