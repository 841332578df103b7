/** What the service is doing; `ready` alone answers readiness with 200. */
export type ServicePhase = 'starting' | 'ready' | 'store_unreachable' | 'draining';

/** Readiness in a form fit for an answer. */
export interface Readiness {
  ready: boolean;
  phase: ServicePhase;
  /** One sentence for operators; `null` when ready. */
  reason: string | null;
}

/** Holds the phase of the service; readers see the latest. */
export class Lifecycle {
  #phase: ServicePhase = 'starting';
  #reason: string | null = 'The database is being opened.';

  set(phase: ServicePhase, reason: string | null = null): void {
    // Draining is final: a store that comes back meanwhile does not make the service ready again.
    if (this.#phase === 'draining') return;
    this.#phase = phase;
    this.#reason = reason;
  }

  get phase(): ServicePhase {
    return this.#phase;
  }

  readiness(): Readiness {
    return { ready: this.#phase === 'ready', phase: this.#phase, reason: this.#reason };
  }
}
