import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Worker, type ResourceLimits } from 'node:worker_threads';

import { ApiError } from '../errors/api-error.js';
import type { Logger } from '../logger.js';
import { asBuffer, BEGUN, errorOf, type Reply, type Request } from './messages.js';
import type { Calls } from './serve-calls.js';

export interface WorkerThreadOptions {
  /** Absolute path of the compiled program, which calls `serveCalls`. */
  program: string;
  limits: ResourceLimits;
  /** Awaited before each start; what it resolves to the program finds as `workerData`. */
  prepare?: () => Promise<unknown>;
  /** What takes longer would keep all other work waiting: it ends the thread. A minute when absent. */
  callTimeoutMs?: number;
  logger: Logger;
}

interface Pending {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
  onBack: CallOptions<unknown>['onBack'];
  onInterim: (interim: unknown) => void;
}

interface Running {
  worker: Worker;
  pending: Map<number, Pending>;
  /** Resolves when the thread is gone. */
  ended: Promise<void>;
}

/** How a call is made. */
export interface CallOptions<Interim> {
  /** Bytes to work on; copied. */
  body?: Uint8Array;
  /** Moves the body instead, where that is possible: it is empty here afterwards. Copying costs time and memory. */
  mayTake?: boolean;
  /** Brings a body that was moved back once the work is done, and tells where it is now. */
  onBack?: (body: Buffer) => void;
  /** Told what the work tells before it is done. */
  onInterim?: ((interim: Interim) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const END_TIMEOUT_MS = 5000;
const CALL_TIMEOUT_MS = 60_000;
/** Copying more than this holds up the event loop, so larger bodies go in pieces, one in each turn. */
const CHUNK_BYTES = 512 * 1024;

/**
 * A second JavaScript thread for work that would hold up the event loop. Started by the first call, and again by
 * the next one after it has died (of memory, say), which fails the calls under way and nothing else.
 */
export class WorkerThread<C extends Calls> {
  #running: Promise<Running> | null = null;
  readonly #calls = new Set<Promise<unknown>>();
  #lastId = 0;
  #closed = false;

  constructor(private readonly options: WorkerThreadOptions) {}

  /**
   * Has one piece of work done. Rejects with the error of the work (message, stack and code of it), with the
   * signal's reason as soon as that aborts, with 500 `worker_died`, also when the work takes too long, which ends the
   * thread, or with 500 `worker_unavailable`: when there can be no thread, and after `close`.
   */
  async call<Name extends keyof C & string>(
    name: Name,
    argument: C[Name]['argument'],
    options: CallOptions<C[Name]['interim']> = {},
  ): Promise<C[Name]['value']> {
    if (this.#closed) throw workerUnavailable(null);
    const call = this.#call({ name, argument }, options);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Ends the thread once the work under way has ended, or after five seconds. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    const timeout = new AbortController();
    const timedOut = sleep(END_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch((error: unknown) => {
      if (!timeout.signal.aborted) throw error;
    });
    await Promise.race([Promise.allSettled(this.#calls), timedOut]);
    // A thread that could not be started has been logged.
    const running = await this.#running?.catch(() => null);
    if (running !== null && running !== undefined) {
      running.worker.ref();
      send(running.worker, { kind: 'end' });
      await Promise.race([running.ended, timedOut]);
      await running.worker.terminate();
    }
    timeout.abort();
    await timedOut;
  }

  async #call(
    { name, argument }: { name: string; argument: unknown },
    { body, mayTake = false, onBack, onInterim = () => {}, signal }: CallOptions<unknown>,
  ): Promise<unknown> {
    this.#running ??= this.#start();
    const { worker, pending } = await this.#running;
    signal?.throwIfAborted();
    const id = (this.#lastId += 1);
    const timer = this.#watchTime(worker, name);
    let cancel = (): void => {};
    try {
      return await new Promise((resolve, reject) => {
        cancel = () => {
          send(worker, { kind: 'cancel', id });
          reject(signal?.reason instanceof Error ? signal.reason : new Error('given up'));
        };
        signal?.addEventListener('abort', cancel, { once: true });
        pending.set(id, { resolve, reject, onBack, onInterim });
        worker.ref();
        const isWanted = (): boolean => pending.has(id);
        const isLent = onBack !== undefined;
        sendCall(worker, { id, name, argument, isLent }, { body, mayTake, isWanted }).catch(reject);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      pending.delete(id);
      if (pending.size === 0) worker.unref();
    }
  }

  #watchTime(worker: Worker, name: string): NodeJS.Timeout {
    const { callTimeoutMs = CALL_TIMEOUT_MS, logger } = this.options;
    return setTimeout(() => {
      logger.error({ work: name }, 'the worker thread hangs and is ended');
      void worker.terminate();
    }, callTimeoutMs);
  }

  async #start(): Promise<Running> {
    const { program, limits, prepare, logger } = this.options;
    try {
      const data = await prepare?.();
      const worker = new Worker(program, {
        resourceLimits: limits,
        workerData: data,
        name: 'vidimus-worker',
      });
      const pending = new Map<number, Pending>();
      const ended = this.#watch(worker, pending);
      worker.unref();
      return { worker, pending, ended };
    } catch (error) {
      this.#running = null;
      logger.error({ err: error }, 'the worker thread cannot be started');
      throw workerUnavailable(error);
    }
  }

  /** Takes its answers; resolves when it is gone, and everything that waited for it has been told. */
  #watch(worker: Worker, pending: ReadonlyMap<number, Pending>): Promise<void> {
    let hasBegun = false;
    worker.on('message', (reply: Reply | typeof BEGUN) => {
      if (reply === BEGUN) {
        hasBegun = true;
        return;
      }
      const call = pending.get(reply.id);
      if ('interim' in reply) call?.onInterim(reply.interim);
      else if (reply.ok) {
        if (reply.body !== null) call?.onBack?.(asBuffer(reply.body));
        call?.resolve(reply.value);
      } else call?.reject(errorOf(reply.error));
    });
    let cause: Error | null = null;
    worker.on('error', (error: Error) => {
      cause = error;
      this.options.logger.error({ err: error }, 'the worker thread has died; the next work starts another');
    });
    return new Promise((resolve) => {
      worker.on('exit', () => {
        this.#running = null;
        const failed = hasBegun ? workerDied : workerUnavailable;
        for (const { reject } of pending.values()) reject(failed(cause));
        resolve();
      });
    });
  }
}

function send(worker: Worker, request: Request): void {
  worker.postMessage(request);
}

interface BodyToSend {
  body: Uint8Array | undefined;
  mayTake: boolean;
  isWanted: () => boolean;
}

async function sendCall(
  worker: Worker,
  { isLent, ...call }: { id: number; name: string; argument: unknown; isLent: boolean },
  { body, mayTake, isWanted }: BodyToSend,
): Promise<void> {
  const moved = mayTake && body !== undefined && ownsMemory(body) ? [body.buffer] : [];
  const carried = moved.length > 0 ? body : await sendChunks(worker, call.id, { body, isWanted });
  // Of a copy the original is still here.
  const comesBack = isLent && moved.length > 0;
  const request: Request = { kind: 'call', body: carried ?? null, isLent: comesBack, ...call };
  if (isWanted()) worker.postMessage(request, moved);
}

/** Sends a large body ahead of its call; what the call is to carry is returned. */
async function sendChunks(
  worker: Worker,
  id: number,
  { body, isWanted }: Omit<BodyToSend, 'mayTake'>,
): Promise<Uint8Array | undefined> {
  const sizeBytes = body?.length ?? 0;
  if (body === undefined || sizeBytes <= CHUNK_BYTES) return body;
  for (let start = 0; start < sizeBytes && isWanted(); start += CHUNK_BYTES) {
    // A copy, because what is sent is gone here.
    const chunk = new Uint8Array(body.subarray(start, start + CHUNK_BYTES));
    worker.postMessage({ kind: 'piece', id, sizeBytes, chunk } satisfies Request, [chunk.buffer]);
    await nextTurn();
  }
  return undefined;
}

/** Short bodies share memory with others, and some memory cannot be moved at all. */
function ownsMemory(body: Uint8Array): body is Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0;
}

function workerDied(cause: unknown): ApiError {
  const detail = 'The thread that works on pages and images has died under this work';
  return new ApiError(500, 'Internal server error', { reason: 'worker_died', detail, cause });
}

function workerUnavailable(cause: unknown): ApiError {
  const detail = 'There is no thread to work on pages and images';
  return new ApiError(500, 'Internal server error', { reason: 'worker_unavailable', detail, cause });
}
