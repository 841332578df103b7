import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ResourceLimits } from 'node:worker_threads';

import { ApiError } from '../errors.js';
import type { Logger } from '../logger.js';
import { errorOf } from './messages.js';
import type { Reply, Request } from './messages.js';
import type { Calls } from './serve-calls.js';

/** Settings of a worker thread. */
export interface WorkerThreadOptions {
  /** Absolute path of the compiled program, which calls `serveCalls`. */
  program: string;
  limits: ResourceLimits;
  /** Awaited before each start. */
  prepare?: () => Promise<void>;
  logger: Logger;
}

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

interface Running {
  worker: Worker;
  pending: Map<number, Pending>;
}

/** How a call is made. */
export interface CallOptions {
  /** Bytes to work on; copied. */
  body?: Uint8Array;
  signal?: AbortSignal | undefined;
}

const END_TIMEOUT_MS = 5000;
/** Copying more than this holds up the event loop, so larger bodies go in pieces, one in each turn. */
const PIECE_BYTES = 512 * 1024;

/**
 * A second JavaScript thread for work that would hold up the event loop. Started by the first call, and again by
 * the next one after it has died (of memory, say), which fails the calls under way and nothing else.
 */
export class WorkerThread<C extends Calls> {
  #running: Promise<Running> | null = null;
  #lastId = 0;
  #closed = false;

  constructor(private readonly options: WorkerThreadOptions) {}

  /**
   * Has one piece of work done. Rejects with the error of the work (message, stack and code of it), with the
   * signal's reason as soon as that aborts, or with 500 `worker_died`, also after `close`.
   */
  async call<Name extends keyof C & string>(
    name: Name,
    argument: C[Name]['argument'],
    { body, signal }: CallOptions = {},
  ): Promise<C[Name]['value']> {
    if (this.#closed) throw workerDied(null);
    this.#running ??= this.#start();
    const { worker, pending } = await this.#running;
    signal?.throwIfAborted();
    const id = (this.#lastId += 1);
    let cancel = (): void => {};
    try {
      return await new Promise((resolve, reject) => {
        cancel = () => {
          send(worker, { kind: 'cancel', id });
          reject(signal?.reason instanceof Error ? signal.reason : new Error('given up'));
        };
        signal?.addEventListener('abort', cancel, { once: true });
        pending.set(id, { resolve, reject });
        worker.ref();
        const isWanted = (): boolean => pending.has(id);
        sendBody(worker, { id, body: body ?? null, isWanted })
          .then((rest) => isWanted() && send(worker, { kind: 'call', id, name, argument, body: rest }))
          .catch(reject);
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
      pending.delete(id);
      if (pending.size === 0) worker.unref();
    }
  }

  /** Lets the work under way end, and the thread with it. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = await this.#running?.catch(() => null);
    if (running === null || running === undefined) return;
    const { worker } = running;
    const ended = once(worker, 'exit');
    worker.ref();
    send(worker, { kind: 'end' });
    const timer = setTimeout(() => void worker.terminate(), END_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  }

  async #start(): Promise<Running> {
    const { program, limits, prepare, logger } = this.options;
    try {
      await prepare?.();
    } catch (error) {
      this.#running = null;
      throw error;
    }
    const worker = new Worker(program, { resourceLimits: limits, name: 'vidimus-worker' });
    const pending = new Map<number, Pending>();
    worker.on('message', (reply: Reply) => {
      const call = pending.get(reply.id);
      if (reply.ok) call?.resolve(reply.value);
      else call?.reject(errorOf(reply.fault));
    });
    let fault: Error | null = null;
    worker.on('error', (error: Error) => {
      fault = error;
      logger.error({ err: error }, 'the worker thread has died; the next work starts another');
    });
    worker.on('exit', () => {
      this.#running = null;
      for (const { reject } of pending.values()) reject(workerDied(fault));
    });
    worker.unref();
    return { worker, pending };
  }
}

function send(worker: Worker, request: Request): void {
  worker.postMessage(request);
}

interface BodyToSend {
  id: number;
  body: Uint8Array | null;
  isWanted: () => boolean;
}

/** Sends a large body ahead of its call; what the call is to carry is returned. */
async function sendBody(worker: Worker, { id, body, isWanted }: BodyToSend): Promise<Uint8Array | null> {
  const sizeBytes = body?.length ?? 0;
  if (body === null || sizeBytes <= PIECE_BYTES) return body;
  for (let start = 0; start < sizeBytes && isWanted(); start += PIECE_BYTES) {
    // A copy, because what is sent is gone here.
    const piece = new Uint8Array(body.subarray(start, start + PIECE_BYTES));
    worker.postMessage({ kind: 'piece', id, sizeBytes, piece } satisfies Request, [piece.buffer]);
    await nextTurn();
  }
  return null;
}

function workerDied(cause: Error | null): ApiError {
  const detail = 'The thread that works on pages and pictures has died under this work';
  return new ApiError(500, 'M_UNKNOWN', 'Internal server error', { reason: 'worker_died', detail, cause });
}
