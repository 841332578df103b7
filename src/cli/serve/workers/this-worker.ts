import cluster from 'node:cluster';

import type { Registry } from 'prom-client';

import { mergeFigures } from './merge-figures.js';
import { FROM_WORKER, TO_WORKER } from './worker-messages.js';
import type { z } from 'zod';

/** Tells a worker its number. */
export const WORKER_VARIABLE = 'VIDIMUS_WORKER';

/** This process as one of several that serve the same ports. */
export class ThisWorker {
  /** Whether it is the one that all others wait for; else one that listens when it is ready, since others serve. */
  readonly isFirst = cluster.worker?.id === 1;
  #figures: Registry | null = null;
  #waiting: ((texts: readonly string[]) => void)[] = [];

  private constructor(readonly number: number) {
    process.on('message', (message) => this.#hear(message));
  }

  /** `null` in a process that serves alone, and in the one that starts others. */
  static find(): ThisWorker | null {
    const number = process.env[WORKER_VARIABLE];
    return cluster.isWorker && number !== undefined ? new ThisWorker(Number(number)) : null;
  }

  tellReady(): void {
    tell({ kind: 'ready' });
  }

  /** Gives all series the number of this worker, and returns what reads those of all workers. */
  shareFigures(registry: Registry): () => Promise<string> {
    registry.setDefaultLabels({ worker: String(this.number) });
    this.#figures = registry;
    return async () => {
      const texts = new Promise<readonly string[]>((resolve) => this.#waiting.push(resolve));
      tell({ kind: 'figures_wanted' });
      return mergeFigures(await texts);
    };
  }

  #hear(raw: unknown): void {
    const message = TO_WORKER.parse(raw);
    if (message.kind === 'tell_figures') {
      void this.#figures?.metrics().then((text) => tell({ kind: 'figures', round: message.round, text }));
      return;
    }
    for (const resolve of this.#waiting.splice(0)) resolve(message.texts);
  }
}

function tell(message: z.infer<typeof FROM_WORKER>): void {
  process.send?.(message);
}
