import { entryCache } from '../runtime/entry-cache.js';
import { threadCpuUsage } from '../runtime/thread-cpu-usage.js';

/** Whose turn it takes, who has sent what it is about, and how many bytes. */
export interface LoopWork {
  by: string;
  from: string;
  bytes: number;
}

/** More than any honest handshake has, and than nearly all key records. */
const BYTES_PER_TURN = 12 * 1024;
/** Longer than any honest handshake takes; 12 KiB of certificates with the worst of keys take 70. */
const COSTLY_MS = 20;
/** Once is the machine: other work, or a collection. */
const MAX_COSTLY = 1;
/** Of how many, and for how long, it is known that their work took longer. */
const MAX_REMEMBERED = 10_000;
const REMEMBERED_MS = 10_000;
/** Pauses of large work are so many times as long as what was before them: that takes a quarter of the time at most. */
const PAUSE_FACTOR = 3;
/** What takes long mostly waits for a busy machine. */
const LONGEST_PAUSE_MS = 500;

/**
 * Work for the event loop whose cost others decide with what they send, up to a fifth of a second for 32 KiB. Whoever
 * sends it can have a hundred of them ready at the same moment, and the event loop would do all of them in one turn.
 * Here it does so many bytes in a turn, and the rest in the next ones, by turns of whose they are; of what is larger
 * than that by itself, or comes from those whose work took long twice, one at a time, and it is followed by a pause.
 * Nothing is done for as long as a work has taken that took long.
 */
export class LoopTurns {
  readonly #small = new PausedQueue();
  readonly #large = new PausedQueue();
  /** How often work about what somebody sent took long of late. */
  readonly #costly = entryCache<number>(MAX_REMEMBERED, { ttl: REMEMBERED_MS });
  /** In this turn. */
  #bytes = 0;
  #soon: NodeJS.Immediate | null = null;
  #later: NodeJS.Timeout | null = null;

  /** Does it now, if nothing else has to come first, or in its turn. It must not throw. */
  run(of: LoopWork, work: () => void): void {
    const waiting = { ...of, work };
    const queue = this.#queueOf(waiting);
    const fits = queue === this.#large ? this.#bytes === 0 : this.#bytes + of.bytes <= BYTES_PER_TURN;
    if (fits && queue.isEmpty && queue.pauseMs <= 0) this.#do(waiting);
    else queue.add(waiting);
    this.#schedule();
  }

  /** The same for what gives something, or throws. */
  result<T>(of: LoopWork, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.run(of, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #queueOf({ from, bytes }: LoopWork): PausedQueue {
    const isCostly = (this.#costly.get(from) ?? 0) > MAX_COSTLY;
    return bytes > BYTES_PER_TURN || isCostly ? this.#large : this.#small;
  }

  #do(waiting: Waiting): void {
    const { from, bytes, work } = waiting;
    this.#bytes += bytes;
    const isLarge = this.#queueOf(waiting) === this.#large;
    const tookMs = busyMs(work);
    if (tookMs > COSTLY_MS) {
      this.#costly.set(from, (this.#costly.get(from) ?? 0) + 1);
      this.#bytes = Math.max(this.#bytes, BYTES_PER_TURN);
      this.#small.pause(tookMs);
    }
    if (isLarge || tookMs > COSTLY_MS) this.#large.pause(PAUSE_FACTOR * tookMs);
  }

  #schedule(): void {
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = null;
    if (this.#soon !== null) return;
    const pauseMs = this.#bytes > 0 ? 0 : Math.min(this.#small.dueMs, this.#large.dueMs);
    if (pauseMs <= 0) this.#soon = setImmediate(() => this.#turn());
    else if (pauseMs < Infinity) this.#later = setTimeout(() => this.#schedule(), pauseMs);
  }

  #turn(): void {
    this.#soon = null;
    this.#bytes = 0;
    if (this.#large.dueMs <= 0) this.#next(this.#large);
    while (this.#small.dueMs <= 0 && this.#bytes < BYTES_PER_TURN) this.#next(this.#small);
    this.#schedule();
  }

  #next(from: PausedQueue): void {
    const waiting = from.take();
    if (waiting === undefined) return;
    // Since it waits, work of the same may have taken long.
    const queue = this.#queueOf(waiting);
    if (queue === from) this.#do(waiting);
    else queue.add(waiting);
  }
}

interface Waiting extends LoopWork {
  work: () => void;
}

/** Work that waits, by client, and until when none of it is done. */
class PausedQueue {
  /** The client served last comes last. */
  readonly #lists = new Map<string, Waiting[]>();
  #pausedUntilMs = -Infinity;

  get isEmpty(): boolean {
    return this.#lists.size === 0;
  }

  add(waiting: Waiting): void {
    const own = this.#lists.get(waiting.by);
    if (own === undefined) this.#lists.set(waiting.by, [waiting]);
    else own.push(waiting);
  }

  take(): Waiting | undefined {
    for (const [client, own] of this.#lists) {
      const next = own.shift();
      this.#lists.delete(client);
      if (own.length > 0) this.#lists.set(client, own);
      return next;
    }
    return undefined;
  }

  get pauseMs(): number {
    return this.#pausedUntilMs - performance.now();
  }

  /** When the next one may be done; never, when none waits. */
  get dueMs(): number {
    return this.isEmpty ? Infinity : this.pauseMs;
  }

  pause(pauseMs: number): void {
    this.#pausedUntilMs = performance.now() + Math.min(LONGEST_PAUSE_MS, pauseMs);
  }
}

/** How long it kept the processor: no longer than a clock shows, nor than has been used. */
function busyMs(work: () => void): number {
  const startMs = performance.now();
  const before = threadCpuUsage();
  work();
  const { user, system } = threadCpuUsage(before);
  return Math.min(performance.now() - startMs, (user + system) / 1000);
}
