import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { PlaceBound } from '../../base/places/fair-places.js';
import { ReachedBounds } from '../../base/places/reached-bounds.js';

/** What previews wait for; labels of the metrics. */
export type PreviewWork = 'download' | 'body' | 'file' | 'page' | 'picture';
export type PreviewBound = `${PreviewWork}_${PlaceBound}`;

/** What it is made with. */
export interface PreviewBoundsOptions {
  clock: Clock;
  logger: Logger;
  onBound: (work: PreviewWork, bound: PlaceBound) => void;
}

/** Which bounds held previews back: `waiting` refused them, others made them wait. */
export class PreviewBounds {
  readonly reached: ReachedBounds<PreviewBound>;

  constructor(private readonly options: PreviewBoundsOptions) {
    const { clock, logger } = options;
    this.reached = new ReachedBounds({
      clock,
      log: (line) => {
        if (line.bound.endsWith('_waiting')) logger.warn(line, 'previews are refused: a bound is reached');
        else logger.info(line, 'previews wait: a bound is reached');
      },
    });
  }

  /** Tells of bounds of one kind of work. */
  noteFor(work: PreviewWork): (bound: PlaceBound, about: string) => void {
    return (bound, about) => {
      this.options.onBound(work, bound);
      this.reached.note(`${work}_${bound}`, { about });
    };
  }
}
