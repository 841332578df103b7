import type { Clock } from './clock.js';
import { ApiError } from './errors/api-error.js';
import { TimedTrace, type TimedStep } from './trace.js';

/** What a piece of work is called, and what it is about. Goes to collectors of traces: no addresses of pages, no users. */
export interface WorkName {
  name: 'key_fetch' | 'preview';
  attributes: Readonly<Record<string, string>>;
}

/** A piece of work that has ended, with its stages. */
export interface TracedWork extends WorkName {
  /** POSIX ms. */
  startedTs: number;
  durationMs: number;
  steps: readonly TimedStep[];
  /** Why it failed; `null`: it did not. */
  reason: string | null;
}

/** Who is told of work. */
export interface WorkListener {
  clock: Clock;
  tell(work: TracedWork): void;
}

/** Does the work with a trace that collects its stages, and tells of it when it has ended in whatever way. */
export async function tellingOf<T>(
  { clock, tell }: WorkListener,
  name: WorkName,
  work: (trace: TimedTrace) => Promise<T>,
): Promise<T> {
  const trace = new TimedTrace(() => performance.now());
  const startedTs = clock.now();
  const ended = (reason: string | null): void =>
    tell({ ...name, startedTs, durationMs: trace.elapsedMs(), steps: trace.steps, reason });
  try {
    const value = await work(trace);
    ended(null);
    return value;
  } catch (error) {
    ended((error instanceof ApiError ? error.reason : null) ?? 'internal');
    throw error;
  }
}
