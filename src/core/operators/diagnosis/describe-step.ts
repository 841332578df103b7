import type { TimedStep, TraceStep } from '../../base/trace.js';
import { keyAdvice } from './advice.js';

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
export function describeStep(step: TimedStep): TimedStep {
  const title = step.title ?? STEP_TITLES.get(step.name) ?? step.name;
  const advice = step.advice ?? adviceFor(step);
  return advice === null ? { ...step, title } : { ...step, title, advice };
}

/**
 * Steps of an earlier fetch, which are kept without the times they began: one follows the other, so each began when
 * those before it had ended.
 */
export function describeStoredSteps(steps: readonly TraceStep[]): TimedStep[] {
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
  if (step.name !== 'well-known' || DOCUMENT_ERRORS.has(reason)) return keyAdvice(reason);
  return reason.startsWith('tls_') ? `${NO_DOCUMENT} ${keyAdvice(reason) ?? ''}`.trim() : NO_DOCUMENT;
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
