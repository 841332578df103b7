import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Registry } from 'prom-client';

import { SECOND_MS } from '../../../core/base/clock.js';
import type { ServerPlace } from '../../../core/store/sqlite/server-lock.js';
import type { SharedPorts } from '../../../server/shared-ports.js';
import { mergeFigures } from './merge-figures.js';
import { placeError, type PlaceRefusal } from './place-refusal.js';
import { FROM_WORKER, TO_WORKER } from './worker-messages.js';
import type { z } from 'zod';

/** Tells a worker its number. */
export const WORKER_VARIABLE = 'VIDIMUS_WORKER';
/** Tells it the folder of the program that it is part of, for bin/vidimus.js. */
export const PROGRAM_VARIABLE = 'VIDIMUS_WORKER_PROGRAM';

/** Longer than all take to close from the same signal on, unless one is stuck. */
const CLOSING_MS = 2 * SECOND_MS;

/** This process as one of several that serve the same ports. */
export class ThisWorker implements SharedPorts {
  /** Whether it is the one that all others wait for; else one that listens when it is ready, since others serve. */
  readonly isFirst = cluster.worker?.id === 1;
  /** The one of the process that started it, which keeps it until all have ended. */
  readonly place: ServerPlace = { take: () => this.#askForPlace(), release: () => undefined };
  #onPlace: (refusal: PlaceRefusal | null) => void = () => undefined;
  #figures: Registry | null = null;
  #waiting: ((texts: readonly string[]) => void)[] = [];
  #settling: (() => void)[] = [];
  #onAllClosed: () => void = () => undefined;

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

  async settle(): Promise<void> {
    const settled = new Promise<void>((resolve) => this.#settling.push(resolve));
    tell({ kind: 'settle' });
    await settled;
  }

  async untilAllClosed(): Promise<void> {
    const closed = new Promise<void>((resolve) => (this.#onAllClosed = resolve));
    tell({ kind: 'closed' });
    await Promise.race([closed, sleep(CLOSING_MS, undefined, { ref: false })]);
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

  async #askForPlace(): Promise<void> {
    const answer = new Promise<PlaceRefusal | null>((resolve) => (this.#onPlace = resolve));
    tell({ kind: 'place_wanted' });
    const refusal = await answer;
    if (refusal !== null) throw placeError(refusal);
  }

  #hear(raw: unknown): void {
    const message = TO_WORKER.parse(raw);
    if (message.kind === 'tell_figures') {
      void this.#figures?.metrics().then((text) => tell({ kind: 'figures', round: message.round, text }));
      return;
    }
    if (message.kind === 'place') return this.#onPlace(message.refusal);
    if (message.kind === 'all_closed') return this.#onAllClosed();
    if (message.kind === 'settled') return this.#settling.shift()?.();
    for (const resolve of this.#waiting.splice(0)) resolve(message.texts);
  }
}

function tell(message: z.infer<typeof FROM_WORKER>): void {
  process.send?.(message);
}
