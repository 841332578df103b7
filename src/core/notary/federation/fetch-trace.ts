import type { TraceStep } from '../../base/trace.js';

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
