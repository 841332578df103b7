import { getHeapStatistics } from 'node:v8';

import { SECOND_MS } from '../clock.js';
import { findGc } from './find-gc.js';

const LOOK_INTERVAL_MS = SECOND_MS;
/** Processor time of this process in the time since the last look, below which nobody is held up. */
const QUIET_SHARE = 0.05;
/**
 * Looks without work before a collection. The engine makes room for young objects smaller only when little was
 * allocated in its last five seconds; sooner a collection frees objects and gives nothing back to the system.
 */
const QUIET_LOOKS = 6;
/** What a collection has to be worth. */
const MIN_GROWN_BYTES = 8 * 1024 * 1024;
/** Collecting takes one to two milliseconds for each megabyte in use; more is left to the engine, which does it in steps. */
const MAX_USED_BYTES = 96 * 1024 * 1024;

/** The heap as the engine tells of it, in bytes. */
export interface HeapSize {
  /** What it has of the system, and what its objects hold outside. */
  total: number;
  /** What objects take of that, garbage among them. */
  used: number;
}

/** What is looked at, and what collects; absent: the engine. */
export interface IdleCollectionParts {
  heapSize?: () => HeapSize;
  /** Processor time of all threads since the last look, as a share of that time. */
  busyShare?: () => number;
  collect?: () => void;
}

/**
 * Gives memory back once work has ended: the engine lets room for young objects grow to 32 MB, and takes it back only
 * when it collects everything, which an idle process gives it no reason to.
 */
export class IdleCollection {
  #quietLooks = 0;
  /** Whether the last collection gave nothing back, as when something was allocated just before: it has a second try. */
  #wasInVain = false;
  /** The smallest heap since the last collection, in bytes; before the first everything is worth a look. */
  #leastBytes = 0;
  readonly #heapSize: () => HeapSize;
  readonly #busyShare: () => number;
  #collect: (() => void) | null;

  constructor({ heapSize = heapSizeNow, busyShare = busyShares(), collect }: IdleCollectionParts = {}) {
    this.#heapSize = heapSize;
    this.#busyShare = busyShare;
    this.#collect = collect ?? null;
  }

  /** Looks each second from now on, and keeps no process alive for it. */
  begin(): void {
    setInterval(() => this.look(), LOOK_INTERVAL_MS).unref();
  }

  /** Collects when there was nothing to do and the heap has grown. */
  look(): void {
    this.#quietLooks = this.#busyShare() > QUIET_SHARE ? 0 : this.#quietLooks + 1;
    if (this.#quietLooks < QUIET_LOOKS) return;
    const { total, used } = this.#heapSize();
    this.#leastBytes = Math.min(this.#leastBytes, total);
    if (total < this.#leastBytes + MIN_GROWN_BYTES || used > MAX_USED_BYTES) return;
    this.#collect ??= findGc('major');
    this.#collect();
    const { total: leftBytes } = this.#heapSize();
    this.#wasInVain = leftBytes > total - MIN_GROWN_BYTES && !this.#wasInVain;
    if (this.#wasInVain) this.#quietLooks = 0;
    else this.#leastBytes = leftBytes;
  }
}

function heapSizeNow(): HeapSize {
  const { total_heap_size: heap, used_heap_size: used, external_memory: external } = getHeapStatistics();
  return { total: heap + external, used };
}

function busyShares(): () => number {
  let [lastMs, last] = [performance.now(), process.cpuUsage()];
  return () => {
    const nowMs = performance.now();
    const { user, system } = process.cpuUsage(last);
    const share = (user + system) / 1000 / (nowMs - lastMs);
    [lastMs, last] = [nowMs, process.cpuUsage()];
    return share;
  };
}
