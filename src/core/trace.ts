/** One step of a piece of work, for operators: what was done, how it ended, or why it was not needed. */
export interface TraceStep {
  name: string;
  status: 'ok' | 'failed' | 'skipped';
  ms: number;
  /** One plain sentence. May name hosts and addresses: not for clients. */
  sentence: string;
  detail?: Record<string, string | number>;
}

/** Receives steps as they end. */
export interface Trace {
  step(step: TraceStep): void;
}

/** Drops every step; for work nobody watches. */
export const SILENT_TRACE: Trace = { step: () => undefined };
