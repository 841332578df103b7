import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { FairQueueOptions, QueueLimit } from '../../base/fair-queue.js';
import { ReachedBounds } from '../../base/limits/reached-bounds.js';

/** What previews wait for; labels of the metrics. */
export type PreviewWork = 'download' | 'body' | 'file' | 'page' | 'picture';
/** Names of the limits in metrics and health. */
const BOUNDS = { client: 'asker', group: 'group', total: 'total', waiting: 'waiting' } as const;
export type WorkBound = (typeof BOUNDS)[QueueLimit];
export type PreviewBound = `${PreviewWork}_${WorkBound}`;

export interface PreviewBoundsOptions {
  clock: Clock;
  logger: Logger;
  onBound: (work: PreviewWork, bound: WorkBound) => void;
}

/** Which bounds held previews back: `waiting` refused them, others made them wait. */
export class PreviewBounds {
  readonly reached: ReachedBounds<PreviewBound>;

  constructor(private readonly options: PreviewBoundsOptions) {
    const { clock, logger } = options;
    this.reached = new ReachedBounds({
      clock,
      log: (line) => {
        if (line.bound.endsWith('_waiting')) logger.warn(line, 'previews are refused: a limit is reached');
        else logger.info(line, 'previews wait: a limit is reached');
      },
    });
  }

  noteFor(work: PreviewWork): NonNullable<FairQueueOptions['onLimit']> {
    return (limit, { client, group }) => this.note(work, BOUNDS[limit], group ?? client ?? '');
  }

  note(work: PreviewWork, bound: WorkBound, about: string): void {
    this.options.onBound(work, bound);
    this.reached.note(`${work}_${bound}`, { about });
  }
}
