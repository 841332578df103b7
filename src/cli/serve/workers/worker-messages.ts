import { z } from 'zod';

/** What a worker tells the process that started it. */
export const FROM_WORKER = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('figures_wanted') }),
  z.object({ kind: z.literal('figures'), round: z.int(), text: z.string() }),
]);

/** What it is told. `round`: a number for one collection of the figures of all. */
export const TO_WORKER = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tell_figures'), round: z.int() }),
  z.object({ kind: z.literal('all_figures'), texts: z.array(z.string()) }),
]);

export type ToWorker = z.infer<typeof TO_WORKER>;
