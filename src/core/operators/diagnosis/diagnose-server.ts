import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { isJsonObject, type JsonObject } from '../../base/json/json-value.js';
import { parseJsonOrNull } from '../../base/json/strict-json.js';
import { type TimedStep, TimedTrace, type Trace, type TraceWatch } from '../../base/trace.js';
import { serverNameError, type FederationWhitelist } from '../../notary/federation/server-name.js';
import type { AcceptedRecord } from '../../notary/key-record/key-record.js';
import type { ServerHealth } from '../../notary/keys/fetch-store.js';
import type { KnownKey } from '../../notary/keys/key-changes.js';
import type { KeyFetcher } from '../../notary/keys/key-fetcher.js';
import { describeStep } from './describe-step.js';
import {
  allowedStep,
  keysStep,
  storedStep,
  validityStep,
  waitingStep,
  wantedStep,
} from './diagnosis-steps.js';

export interface DiagnosisParts {
  /** One of its own, so that nothing remembered from earlier fetches hides what is there now. */
  fetcher: KeyFetcher;
  whitelist: FederationWhitelist;
  clock: Clock;
  /** What is stored of the server; null where there is no store at hand. */
  stored: StoredServer | null;
}

/** What is stored of a server. Only read. */
export interface StoredServer {
  /** `null`: no fetch from it has been stored. */
  findHealth(serverName: string): Promise<ServerHealth | null>;
  findKeys(serverName: string): Promise<readonly KnownKey[]>;
}

/** What is asked of a diagnosis. */
export interface DiagnosisRequest {
  serverName: string;
  /** A key ID somebody looks for; null for none. */
  keyId: string | null;
  /** Sees the steps while it goes on. */
  watch?: TraceWatch;
  /** Ends it early, with the reason `aborted`. */
  signal?: AbortSignal;
}

/** How asking a server for its keys goes, stage by stage. */
export type ServerDiagnosis = Awaited<ReturnType<typeof diagnoseServer>>;

/** Stages that may fail while the fetch goes on with another target. */
const RETRIED: ReadonlySet<string> = new Set(['address', 'connect', 'tls']);

/**
 * Runs a key fetch as queries do, with every stage told, and looks closer at the record. Stores nothing. Never
 * rejects for errors of the other side: those are steps. It is `ok` when the keys were fetched and no stage that matters
 * failed; `published` is the record as published, also a refused one.
 */
export async function diagnoseServer(
  parts: DiagnosisParts,
  { serverName, keyId, watch, signal }: DiagnosisRequest,
) {
  const trace = new TimedTrace(watch, describeStep);
  const { steps } = trace;
  const { record, published, refusal } = await fetchOnce(parts, trace, { serverName, signal });
  if (record !== null) await examine(parts, trace, { serverName, record, keyId });
  const failed = steps.findLast(
    ({ name, status }) => status === 'failed' && (record === null || !RETRIED.has(name)),
  );
  const ok = record !== null && failed === undefined;
  const reason = ok ? null : String(failed?.detail?.['reason'] ?? refusal ?? 'internal');
  const resolvedTo = triedIn(steps);
  return { serverName, ok, reason, steps, resolvedTo, published, checkedTs: parts.clock.now() };
}

/** `record` is null when there is no acceptable one. */
async function fetchOnce(
  parts: DiagnosisParts,
  trace: TimedTrace,
  { serverName, signal }: Pick<DiagnosisRequest, 'serverName' | 'signal'>,
) {
  let published: JsonObject | null = null;
  const seen = (body: Buffer): void => {
    // Records are refused for numbers that are no integers; people may see those, too.
    const value = parseJsonOrNull(body);
    published = isJsonObject(value) ? value : null;
  };
  try {
    // The fetch itself reports a bad name, in front of everything else.
    if (serverNameError(serverName) === null && !(await isAdmitted(parts, trace, serverName)))
      return { record: null, published, refusal: null };
    const { record } = await parts.fetcher.fetch(serverName, named(trace), { seen, signal });
    return { record, published, refusal: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { record: null, published, refusal: error.reason };
  }
}

/** Asks whitelist and back-off; the latter is only told. */
async function isAdmitted(parts: DiagnosisParts, trace: TimedTrace, serverName: string): Promise<boolean> {
  const { whitelist, stored, clock } = parts;
  trace.step({ name: 'name', status: 'ok', ms: 0, sentence: `${serverName} is a valid server name` });
  trace.step(allowedStep(serverName, whitelist));
  if (!whitelist.allows(serverName)) return false;
  if (stored !== null) trace.step(waitingStep(await stored.findHealth(serverName), clock.now()));
  return true;
}

async function examine(
  { clock, stored }: DiagnosisParts,
  trace: TimedTrace,
  { serverName, record, keyId }: { serverName: string; record: AcceptedRecord; keyId: string | null },
): Promise<void> {
  trace.step(validityStep(record, clock.now()));
  trace.step(keysStep(record));
  if (keyId !== null) trace.step(wantedStep(record, keyId));
  if (stored !== null) trace.step(storedStep(record, await stored.findKeys(serverName)));
}

/** Good names have been reported already. */
function named(trace: TimedTrace): Trace {
  return {
    begin: (name) => trace.begin(name),
    step: (step) => {
      if (step.name !== 'name' || step.status === 'failed') trace.step(step);
    },
  };
}

/** Details of steps that name where they went. */
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  'well-known': ['delegatedTo'],
  address: ['target', 'addresses'],
  connect: ['address'],
};

function triedIn(steps: readonly TimedStep[]): string[] {
  const tried = steps.flatMap(({ name, detail = {} }) =>
    (TARGETS[name] ?? []).flatMap((key) => String(detail[key] ?? '').split(' ')),
  );
  return [...new Set(tried)].filter((part) => part !== '');
}
