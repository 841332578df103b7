import { abortable } from '../../base/deadline.js';
import { tooBusy } from './download-errors.js';

/** How much may run and wait. */
export interface PerHostLimiterOptions {
  maxConcurrent: number;
  maxConcurrentPerHost: number;
  /** Waiting requests of all hosts; one host may take half of them. */
  maxQueued: number;
}

interface HostQueue {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets a bounded number of requests run, few per host, so that one slow site holds up neither the others nor this
 * server. Hosts that wait take turns.
 */
export class PerHostLimiter {
  readonly #options: PerHostLimiterOptions;
  /** Hosts with something running or waiting, the one served longest ago first. */
  readonly #hosts = new Map<string, HostQueue>();
  #running = 0;
  #queued = 0;

  constructor(options: PerHostLimiterOptions) {
    this.#options = options;
  }

  /** Requests running and waiting now. */
  get load(): { running: number; queued: number } {
    return { running: this.#running, queued: this.#queued };
  }

  /**
   * Waits for a slot; the function returned gives it back.
   * @throws ApiError 503 when the queue is full, or when the signal ends the wait.
   */
  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    const queue = this.#hosts.get(host) ?? { running: 0, waiting: new Set() };
    this.#hosts.set(host, queue);
    if (this.#hasSlot(queue)) this.#start(host, queue);
    else await this.#wait(host, queue, signal);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#leave(host, queue);
    };
  }

  #hasSlot(queue: HostQueue): boolean {
    const { maxConcurrent, maxConcurrentPerHost } = this.#options;
    return this.#running < maxConcurrent && queue.running < maxConcurrentPerHost;
  }

  #start(host: string, queue: HostQueue): void {
    queue.running += 1;
    this.#running += 1;
    this.#moveToEnd(host, queue);
  }

  async #wait(host: string, queue: HostQueue, signal: AbortSignal): Promise<void> {
    const { maxQueued } = this.#options;
    if (this.#queued >= maxQueued || queue.waiting.size >= Math.ceil(maxQueued / 2)) {
      this.#forget(host, queue);
      throw tooBusy(`${this.#queued} downloads are waiting, ${queue.waiting.size} of them for ${host}`);
    }
    await abortable<void>(signal, (resolve, reject) => {
      this.#queued += 1;
      queue.waiting.add(resolve);
      return () => {
        if (!queue.waiting.delete(resolve)) return;
        this.#queued -= 1;
        this.#forget(host, queue);
        reject(tooBusy(`no slot came free for ${host}`));
      };
    });
  }

  #leave(host: string, queue: HostQueue): void {
    queue.running -= 1;
    this.#running -= 1;
    this.#moveToEnd(host, queue);
    this.#forget(host, queue);
    this.#admit();
  }

  /** Starts what has a slot now. Whoever starts moves to the end and is seen again there, so hosts take turns. */
  #admit(): void {
    for (const [host, queue] of this.#hosts) {
      if (this.#running >= this.#options.maxConcurrent) return;
      const [first] = queue.waiting;
      if (first === undefined || !this.#hasSlot(queue)) continue;
      queue.waiting.delete(first);
      this.#queued -= 1;
      this.#start(host, queue);
      first();
    }
  }

  #moveToEnd(host: string, queue: HostQueue): void {
    this.#hosts.delete(host);
    this.#hosts.set(host, queue);
  }

  #forget(host: string, queue: HostQueue): void {
    if (queue.running === 0 && queue.waiting.size === 0) this.#hosts.delete(host);
  }
}
