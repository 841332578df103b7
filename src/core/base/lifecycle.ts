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
  #cause: unknown = null;

  /** `cause` is the error behind the phase, for those who explain it. */
  set(phase: ServicePhase, reason: string | null = null, cause: unknown = null): void {
    // Draining is final: a store that comes back meanwhile does not make the service ready again.
    if (this.#phase === 'draining') return;
    this.#phase = phase;
    this.#reason = reason;
    this.#cause = cause;
  }

  /** What the latest change was made with; `null` without. */
  get cause(): unknown {
    return this.#cause;
  }

  get phase(): ServicePhase {
    return this.#phase;
  }

  readiness(): Readiness {
    return { ready: this.#phase === 'ready', phase: this.#phase, reason: this.#reason };
  }
}
