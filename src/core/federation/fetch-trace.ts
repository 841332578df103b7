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
export interface FetchStep {
  name: FetchStepName;
  status: 'ok' | 'failed' | 'skipped';
  ms: number;
  /** One plain sentence. Names hosts and addresses: not for clients. */
  sentence: string;
  detail?: Record<string, string | number>;
}

/** Receives the stages of one fetch as they end. */
export interface FetchTrace {
  step(step: FetchStep): void;
}

/** Collects the stages of one fetch. */
export class FetchRecorder implements FetchTrace {
  readonly steps: FetchStep[] = [];

  step(step: FetchStep): void {
    this.steps.push(step);
  }
}
