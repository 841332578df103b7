import { SECOND_MS } from '../clock.js';

/** Whose share it takes, and how many bytes it is about. */
export interface LoopWork {
  client: string;
  bytes: number;
}

interface Job extends LoopWork {
  work: () => void;
}

/** For one iteration of the event loop; more than any honest handshake has, and than nearly all key records. */
const BYTES_AT_ONCE = 12 * 1024;
/** Longer than any honest handshake takes; 12 KiB of certificates with the worst of keys take 70 ms. */
const COSTLY_MS = 20;
/** Large work takes a quarter of the time at most. */
const PAUSE_FACTOR = 3;
/** What takes longer mostly waits for a busy machine. */
const LONGEST_PAUSE_MS = SECOND_MS / 2;

/**
 * Work on the event loop whose cost others decide with what they send: up to a fifth of a second for 32 KiB. An
 * iteration does a few KiB, of each client in turn. Costly work is followed by a pause as long as it took, and a longer
 * one before the next large work.
 */
export class EventLoopQueue {
  /** By client, the one served last comes last. */
  readonly #waiting = new Map<string, Job[]>();
  /** When the next work may start. */
  readonly #fromMs = { small: 0, large: 0 };
  #soon: NodeJS.Immediate | null = null;
  /** Begun in this iteration. */
  #bytes = 0;
  #later: NodeJS.Timeout | undefined;

  /** Without pauses only the bytes of an iteration are limited: for work whose cost nobody else decides. */
  constructor(private readonly hasPauses = true) {}

  /** Does it now, or in a later iteration. It must not throw. */
  run(of: LoopWork, work: () => void): void {
    const job = { client: of.client, bytes: of.bytes, work };
    if (this.#waiting.size === 0 && this.#bytes < BYTES_AT_ONCE && this.#isDue(job)) {
      this.#begin(job);
      return;
    }
    const own = this.#waiting.get(of.client) ?? [];
    this.#waiting.set(of.client, own);
    own.push(job);
    if (this.#soon === null) this.#iterate();
  }

  /** The same for work with a result. */
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

  /** Each work before the next iteration: work may call `run`. */
  #begin(job: Job): void {
    this.#soon ??= setImmediate(this.#iterate);
    this.#bytes += Math.max(1, job.bytes);
    this.#do(job);
  }

  readonly #iterate = (): void => {
    clearTimeout(this.#later);
    this.#soon = null;
    this.#bytes = 0;
    if (this.#waiting.size === 0) return;
    for (let job = this.#take(); job !== null; job = this.#bytes < BYTES_AT_ONCE ? this.#take() : null)
      this.#begin(job);
    if (this.#soon === null) this.#later = setTimeout(this.#iterate, this.#untilDueMs());
  };

  #isDue(job: Job): boolean {
    return this.#fromMs[sizeOf(job)] <= performance.now();
  }

  /** The next work that may start now. */
  #take(): Job | null {
    for (const [client, jobs] of this.#waiting) {
      const [next] = jobs;
      if (next === undefined || !this.#isDue(next)) continue;
      jobs.shift();
      this.#waiting.delete(client);
      if (jobs.length > 0) this.#waiting.set(client, jobs);
      return next;
    }
    return null;
  }

  #untilDueMs(): number {
    const due = Array.from(this.#waiting.values(), ([next]) => (next ? this.#fromMs[sizeOf(next)] : 0));
    return Math.max(1, Math.min(...due) - performance.now());
  }

  #do(job: Job): void {
    if (!this.hasPauses) return job.work();
    const tookMs = busyMs(job.work);
    const endMs = performance.now();
    const isCostly = tookMs > COSTLY_MS;
    if (isCostly) this.#fromMs.small = endMs + Math.min(tookMs, LONGEST_PAUSE_MS);
    if (isCostly || sizeOf(job) === 'large')
      this.#fromMs.large = endMs + Math.min(PAUSE_FACTOR * tookMs, LONGEST_PAUSE_MS);
  }
}

function sizeOf({ bytes }: Job): 'small' | 'large' {
  return bytes > BYTES_AT_ONCE ? 'large' : 'small';
}

/** The last reading of `threadCpuUsage`, which takes 0.1 ms; work may be charged for what was used since. */
let last: { atMs: number; usage: NodeJS.CpuUsage | undefined } = { atMs: -Infinity, usage: undefined };
const READING_MS = 5 * COSTLY_MS;

/** How long work kept the processor: no longer than a clock shows, nor than has been used. */
function busyMs(work: () => void): number {
  const startMs = performance.now();
  if (startMs - last.atMs > READING_MS) last = { atMs: startMs, usage: threadCpuUsage() };
  work();
  const tookMs = performance.now() - startMs;
  if (tookMs <= COSTLY_MS) return tookMs;
  const { user, system } = threadCpuUsage(last.usage);
  return Math.min(tookMs, (user + system) / 1000);
}

type Usage = (before?: NodeJS.CpuUsage) => NodeJS.CpuUsage;

/** Processor time in µs of this thread, where Node can tell, since `before`; else of the process, whose other threads work as well. */
export const threadCpuUsage: Usage = (before) => {
  const { threadCpuUsage: ofThread }: NodeJS.Process & { threadCpuUsage?: Usage } = process;
  return ofThread === undefined ? process.cpuUsage(before) : ofThread(before);
};
