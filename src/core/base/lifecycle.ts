/** What the service is doing; `ready` alone answers readiness with 200. */
export type ServicePhase = 'starting' | 'ready' | 'store_unreachable' | 'draining';

/** Readiness in a form fit for an answer. */
export type Readiness = ReturnType<Lifecycle['readiness']>;

/** Holds the phase of the service; readers see the latest. */
export class Lifecycle {
  /** `reason`: one sentence for operators, `null` when ready. `cause`: the error behind the phase, `null` without. */
  #state: { phase: ServicePhase; reason: string | null; cause: unknown } = {
    phase: 'starting',
    reason: 'The database is being opened.',
    cause: null,
  };

  /** `cause` is for those who explain it. */
  set(phase: ServicePhase, reason: string | null = null, cause: unknown = null): void {
    // Draining is final: a store that comes back meanwhile does not make the service ready again.
    if (this.phase !== 'draining') this.#state = { phase, reason, cause };
  }

  get cause(): unknown {
    return this.#state.cause;
  }

  get phase(): ServicePhase {
    return this.#state.phase;
  }

  readiness() {
    const { phase, reason } = this.#state;
    return { ready: phase === 'ready', phase, reason };
  }
}
