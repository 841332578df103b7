const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ctrl-C under npm arrives twice, from the terminal and passed on by npm; only a signal after this time is
 * meant as a second one.
 */
const SAME_SIGNAL_MS = 250;

/** Waits for the signals that end a server. */
export class StopSignals {
  /** Resolves at the first signal. */
  readonly first: Promise<NodeJS.Signals>;
  readonly #listener: (signal: NodeJS.Signals) => void;

  /** From now on signals no longer end the process by themselves; `onSecond` is told of the second one. */
  constructor(onSecond: (signal: NodeJS.Signals) => void) {
    let firstAtMs: number | null = null;
    let resolveFirst: (signal: NodeJS.Signals) => void;
    this.first = new Promise((resolve) => {
      resolveFirst = resolve;
    });
    this.#listener = (signal) => {
      if (firstAtMs === null) {
        firstAtMs = performance.now();
        resolveFirst(signal);
      } else if (performance.now() - firstAtMs >= SAME_SIGNAL_MS) onSecond(signal);
    };
    for (const signal of SIGNALS) process.on(signal, this.#listener);
  }

  /** Gives the signals back to Node. */
  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#listener);
  }
}
