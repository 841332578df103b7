import type { TraceStep } from '../../base/trace.js';
import type { OutboundEvent, OutboundPhase } from '../../net/http/guarded-connect.js';

/** Stages of a key fetch, in the order they are reported. */
export type FetchStepName =
  | 'name'
  | 'well-known'
  | 'srv'
  | 'address'
  | 'connect'
  | 'tls'
  | 'response'
  | 'record';

/** One stage, for operators: what was tried, how it ended, or why it was not needed. */
export interface FetchStep extends TraceStep {
  name: FetchStepName;
}

/** Receives the stages of one fetch as they end, and hears of those that take a while as they begin. */
export interface FetchTrace {
  begin?(name: FetchStepName): void;
  step(step: FetchStep): void;
}

/** Collects the stages of one fetch. */
export class FetchRecorder implements FetchTrace {
  readonly steps: FetchStep[] = [];

  step(step: FetchStep): void {
    this.steps.push(step);
  }
}

/** What an event of the safe HTTP client is about. */
export interface StepSubject {
  target: { host: string; port: number };
  tlsName: string;
}

/** A finished phase of a key request as a stage of the trace. A status other than 200 counts as failed. */
export function outboundStep(event: OutboundEvent, subject: StepSubject): FetchStep {
  const { phase, ms, error } = event;
  const target = `${subject.target.host}:${subject.target.port}`;
  const detail = { ...event.detail, target };
  if (error !== null) {
    const sentence = `${ABOUT[phase](subject, detail)}: ${error.detail ?? error.message}`;
    return { name: phase, status: 'failed', ms, sentence, detail: { ...detail, reason: error.reason ?? '' } };
  }
  const isRefused = phase === 'response' && event.detail['status'] !== 200;
  return {
    name: phase,
    status: isRefused ? 'failed' : 'ok',
    ms,
    sentence: DONE[phase](subject, detail),
    detail,
  };
}

type Sentences = Record<OutboundPhase, (subject: StepSubject, detail: OutboundEvent['detail']) => string>;

const ABOUT: Sentences = {
  address: ({ target }) => `Address of ${target.host}`,
  connect: ({ target }) => `Connecting to ${target.host} port ${target.port}`,
  tls: ({ target, tlsName }) => `TLS with ${target.host} as ${tlsName}`,
  response: ({ target }) => `Answer of ${target.host} port ${target.port}`,
};

const DONE: Sentences = {
  address: ({ target }, detail) => `${target.host} is at ${detail['addresses']}`,
  connect: (_subject, detail) => `Connected to ${detail['address']} port ${detail['port']}`,
  tls: ({ tlsName }, detail) => `${detail['tlsVersion']}, certificate valid for ${tlsName}`,
  response: (_subject, detail) =>
    `Status ${detail['status']}, ${detail['bytes']} bytes${contentTypeNote(detail['contentType'])}`,
};

function contentTypeNote(contentType: string | number | undefined): string {
  const type = String(contentType ?? '');
  if (/^application\/json\s*(;|$)/i.test(type)) return '';
  return type === '' ? ' without a content type' : `, content type ${type} instead of application/json`;
}
