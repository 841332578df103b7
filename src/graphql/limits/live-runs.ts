import { SECOND_MS } from '../../core/base/clock.js';
import type { OperationShape } from '../server/operation-check.js';
import { WATCHED_MUTATIONS, type GraphqlLimits } from './limits.js';
import { rateLimited } from './rate-limiter.js';

const TRY_AGAIN_MS = 2 * SECOND_MS;

/** Tries and diagnoses under way, of everybody and of each caller. */
export class LiveRuns {
  readonly #ofCaller = new Map<string, number>();
  #total = 0;

  constructor(private readonly limits: Pick<GraphqlLimits, 'runs' | 'runsPerCaller'>) {}

  /**
   * Takes a place for an operation that asks for some, since it runs them one after another; throws `RATE_LIMITED`
   * without one. Returns what frees it.
   */
  enter({ kind, rootFields }: OperationShape, caller: string): () => void {
    const isWatched = rootFields.some((name) => WATCHED_MUTATIONS.includes(name));
    if (kind !== 'mutation' || !isWatched) return () => undefined;
    const own = this.#ofCaller.get(caller) ?? 0;
    const { runs, runsPerCaller } = this.limits;
    if (this.#total >= runs || own >= runsPerCaller) throw rateLimited(TRY_AGAIN_MS);
    this.#count(caller, 1);
    return () => this.#count(caller, -1);
  }

  #count(caller: string, change: 1 | -1): void {
    this.#total += change;
    const own = (this.#ofCaller.get(caller) ?? 0) + change;
    if (own === 0) this.#ofCaller.delete(caller);
    else this.#ofCaller.set(caller, own);
  }
}
