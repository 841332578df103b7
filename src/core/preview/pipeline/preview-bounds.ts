import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { BoundNotes } from '../../base/places/bound-notes.js';
import type { NotedBound } from '../../base/places/bound-notes.js';
import type { PlaceBound } from '../../base/places/fair-places.js';

/** What previews wait for; labels of the metrics. */
export type PreviewWork = 'download' | 'body' | 'page' | 'picture';
export type PreviewBound = `${PreviewWork}_${PlaceBound}`;

/** What the notes are made with. */
export interface PreviewBoundsOptions {
  clock: Clock;
  logger: Logger;
  onBound: (work: PreviewWork, bound: PlaceBound) => void;
}

/** Remembers for operators which bounds held previews back: `waiting` refused them, others made them wait. */
export class PreviewBounds {
  readonly #notes: BoundNotes<PreviewBound>;

  constructor(private readonly options: PreviewBoundsOptions) {
    const { clock, logger } = options;
    this.#notes = new BoundNotes<PreviewBound>(clock, (bound, about) => {
      if (bound.endsWith('_waiting'))
        logger.warn({ bound, about }, 'previews are refused: a bound is reached');
      else logger.info({ bound, about }, 'previews wait: a bound is reached');
    });
  }

  /** Tells of bounds of one kind of work. */
  noteFor(work: PreviewWork): (bound: PlaceBound, about: string) => void {
    return (bound, about) => {
      this.options.onBound(work, bound);
      this.#notes.note(`${work}_${bound}`, about);
    };
  }

  /** Those of the last hour. */
  get reached(): NotedBound<PreviewBound>[] {
    return this.#notes.reached;
  }
}
