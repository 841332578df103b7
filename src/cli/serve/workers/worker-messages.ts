import type { Worker } from 'node:cluster';

import { z } from 'zod';

import { PLACE_REFUSAL } from './place-refusal.js';

/**
 * What a worker tells the process that started it. `settle`: it wants to be told when all connections that were made
 * for it are on their way; `closed`: it listens no more; `place_wanted`: no second server may be on its store.
 */
export const FROM_WORKER = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('place_wanted') }),
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('settle') }),
  z.object({ kind: z.literal('closed') }),
  z.object({ kind: z.literal('figures_wanted') }),
  z.object({ kind: z.literal('figures'), round: z.int(), text: z.string() }),
]);

/**
 * What it is told. `round`: a number for one collection of the figures of all; `refusal`: why there is no place.
 */
export const TO_WORKER = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tell_figures'), round: z.int() }),
  z.object({ kind: z.literal('all_figures'), texts: z.array(z.string()) }),
  z.object({
    kind: z.literal('place'),
    refusal: PLACE_REFUSAL.nullable(),
  }),
  z.object({ kind: z.literal('settled') }),
  z.object({ kind: z.literal('all_closed') }),
]);

type ToWorker = z.infer<typeof TO_WORKER>;

/** To one that has just ended it gets lost; its end is heard of anyway. */
export function tellWorker(worker: Worker, message: ToWorker): void {
  worker.send(message, () => undefined);
}
