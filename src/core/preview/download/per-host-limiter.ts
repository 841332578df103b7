import { abortable } from '../../base/deadline.js';
import { tooBusy } from './download-errors.js';

/** How much may run and wait. */
export interface FetchLaneOptions {
  maxConcurrent: number;
  maxConcurrentPerHost: number;
  /** Waiting requests of all hosts; one host may take half of them. */
  maxQueued: number;
}

interface HostLane {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets a bounded number of requests run, few per host, so that one slow site holds up neither the others nor this
 * server. Hosts that wait take turns.
 */
export class FetchLanes {
  readonly #options: FetchLaneOptions;
  /** Hosts with something running or waiting, the one served longest ago first. */
  readonly #hosts = new Map<string, HostLane>();
  #running = 0;
  #queued = 0;

  constructor(options: FetchLaneOptions) {
    this.#options = options;
  }

  /** Requests running and waiting now. */
  get load(): { running: number; queued: number } {
    return { running: this.#running, queued: this.#queued };
  }

  /**
   * Waits for a place; the function returned gives it back.
   * @throws ApiError 503 when the queue is full, or when the signal ends the wait.
   */
  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    const lane = this.#hosts.get(host) ?? { running: 0, waiting: new Set() };
    this.#hosts.set(host, lane);
    if (this.#hasPlace(lane)) this.#start(host, lane);
    else await this.#wait(host, lane, signal);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#leave(host, lane);
    };
  }

  #hasPlace(lane: HostLane): boolean {
    const { maxConcurrent, maxConcurrentPerHost } = this.#options;
    return this.#running < maxConcurrent && lane.running < maxConcurrentPerHost;
  }

  #start(host: string, lane: HostLane): void {
    lane.running += 1;
    this.#running += 1;
    this.#moveToEnd(host, lane);
  }

  async #wait(host: string, lane: HostLane, signal: AbortSignal): Promise<void> {
    const { maxQueued } = this.#options;
    if (this.#queued >= maxQueued || lane.waiting.size >= Math.ceil(maxQueued / 2)) {
      this.#forget(host, lane);
      throw tooBusy(`${this.#queued} downloads are waiting, ${lane.waiting.size} of them for ${host}`);
    }
    await abortable<void>(signal, (resolve, reject) => {
      this.#queued += 1;
      lane.waiting.add(resolve);
      return () => {
        if (!lane.waiting.delete(resolve)) return;
        this.#queued -= 1;
        this.#forget(host, lane);
        reject(tooBusy(`no place came free for ${host}`));
      };
    });
  }

  #leave(host: string, lane: HostLane): void {
    lane.running -= 1;
    this.#running -= 1;
    this.#moveToEnd(host, lane);
    this.#forget(host, lane);
    this.#admit();
  }

  /** Starts what has a place now. Whoever starts moves to the end and is seen again there, so hosts take turns. */
  #admit(): void {
    for (const [host, lane] of this.#hosts) {
      if (this.#running >= this.#options.maxConcurrent) return;
      const [first] = lane.waiting;
      if (first === undefined || !this.#hasPlace(lane)) continue;
      lane.waiting.delete(first);
      this.#queued -= 1;
      this.#start(host, lane);
      first();
    }
  }

  #moveToEnd(host: string, lane: HostLane): void {
    this.#hosts.delete(host);
    this.#hosts.set(host, lane);
  }

  #forget(host: string, lane: HostLane): void {
    if (lane.running === 0 && lane.waiting.size === 0) this.#hosts.delete(host);
  }
}
