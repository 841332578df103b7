import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { addCount, FairQueue, type FairQueueOptions, type QueueLimit } from '../../base/fair-queue.js';
import { tooBusy } from '../download/download-errors.js';
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

/** The third is for another user. */
const MAX_DOWNLOADS_PER_HOST = 3;

/**
 * Bounds the bytes of downloaded bodies that wait to be stored and read. Downloads finish faster than pages are
 * read, so without it a crowd of large pages would pile up in memory. Users with nothing held may exceed the limit, up
 * to twice its size, so that one user's pages do not stop the others.
 */
export class BodyBudget {
  heldBytes = 0;
  readonly #heldByUser = new Map<string, number>();

  constructor(
    private readonly maxBytes: number,
    private readonly listener: Record<'onBound' | 'onRoom', () => void>,
  ) {}

  /** Whether a further download of the user may begin. */
  hasRoom(user: string): boolean {
    const limit = this.#heldByUser.has(user) ? this.maxBytes : 2 * this.maxBytes;
    return this.heldBytes <= limit;
  }

  /** Counts a body for the user until the function returned is called. */
  hold(user: string, bytes: number): () => void {
    const hadRoom = this.heldBytes <= this.maxBytes;
    this.#add(user, bytes);
    if (hadRoom && this.heldBytes > this.maxBytes) this.listener.onBound();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#add(user, -bytes);
      if (this.heldBytes <= 2 * this.maxBytes) this.listener.onRoom();
    };
  }

  #add(user: string, bytes: number): void {
    this.heldBytes += bytes;
    addCount(this.#heldByUser, user, bytes);
  }
}

/** Downloads begin while there is memory for what they bring. */
export function downloadQueue(
  { maxRunning, maxWaiting, maxBodyBytes }: Record<'maxRunning' | 'maxWaiting' | 'maxBodyBytes', number>,
  bounds: PreviewBounds,
): { queue: FairQueue; budget: BodyBudget } {
  const budget = new BodyBudget(maxBodyBytes, {
    onBound: () => bounds.note('body', 'total', ''),
    onRoom: () => queue.admit(),
  });
  // Groups are hosts: neither a slow site nor a busy user holds up the others.
  const queue = new FairQueue({
    maxRunning,
    maxRunningPerGroup: MAX_DOWNLOADS_PER_HOST,
    maxWaiting,
    mayStart: (client) => budget.hasRoom(client),
    refused: (detail) => tooBusy(`downloads: ${detail}`),
    onLimit: bounds.noteFor('download'),
  });
  return { queue, budget };
}
