import { ApiError } from '../../base/errors/api-error.js';

/** Phases of a request, in order. */
export type OutboundPhase = 'address' | 'connect' | 'tls' | 'response';

/** One finished phase. */
export interface OutboundEvent {
  phase: OutboundPhase;
  ms: number;
  /** Null when the phase went well. */
  error: ApiError | null;
  detail: Record<string, string | number>;
}

/** Told about each phase of a request as it begins and ends, failures included. */
export interface OutboundObserver {
  begin(phase: OutboundPhase): void;
  end(event: OutboundEvent): void;
}

/** What a phase does, and what is told of its result. */
export interface PhaseWork<T> {
  run: () => Promise<T>;
  detail: (result: T) => Record<string, string | number>;
}

/** Runs one phase of a request, under the eyes of an observer if there is one. Rejects as the work does. */
export async function observedPhase<T>(
  observe: OutboundObserver | undefined,
  phase: OutboundPhase,
  work: PhaseWork<T>,
): Promise<T> {
  if (observe === undefined) return work.run();
  observe.begin(phase);
  const startMs = performance.now();
  const elapsedMs = (): number => Math.round(performance.now() - startMs);
  try {
    const result = await work.run();
    observe.end({ phase, ms: elapsedMs(), error: null, detail: work.detail(result) });
    return result;
  } catch (error) {
    if (error instanceof ApiError) observe.end({ phase, ms: elapsedMs(), error, detail: {} });
    throw error;
  }
}
