import { Worker, type ResourceLimits, type MessagePort } from 'node:worker_threads';

import { ApiError } from '../errors/api-error.js';
import { isRecord } from '../json/is-record.js';
import type { Logger } from '../logger.js';

/** Argument and value of each kind of call: what the structured clone algorithm carries. */
export type Calls = Record<string, { argument: unknown; value: unknown }>;

export interface WorkerThreadOptions {
  /** Absolute path of the compiled program, which calls `serveCalls`. */
  program: string;
  limits: ResourceLimits;
  /** Called before each start. */
  prepare?: () => void;
  /**
   * A thread that has work and answers nothing for so long is ended within twice that; half a minute when absent. Work
   * that waits, as for a slow disk, holds up no other.
   */
  maxSilenceMs?: number;
  logger: Logger;
}

/** How a call is made. */
export interface CallOptions {
  /** Bytes to work on; copied. */
  body?: Uint8Array;
  /** Moves the body instead, where that is possible: it is empty here afterwards. Copying costs time and memory. */
  mayTake?: boolean;
  signal?: AbortSignal | undefined;
}

interface Request {
  id: number;
  name: string;
  argument: unknown;
  body: Uint8Array | null;
}

/** Says that calls are taken from now on. */
const BEGUN = 'begun';

/** What became of a call. Errors would lose their code between threads. */
type Reply =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; message: string; stack: string | undefined; code: unknown };

interface Pending {
  name: string;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

const CLOSE_TIMEOUT_MS = 5000;
const MAX_SILENCE_MS = 30_000;
/** No work; the thread answers it all the same. */
const PING: Request = { id: 0, name: 'ping', argument: null, body: null };

/**
 * A second JavaScript thread for work that would hold up the event loop. Started by the first call, and again by
 * the next one after it has died (of memory, say), which fails the calls under way and nothing else.
 */
export class WorkerThread<C extends Calls> {
  #worker: Worker | null = null;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #isClosed = false;
  #onIdle = (): void => {};

  constructor(private readonly options: WorkerThreadOptions) {}

  /**
   * Has one piece of work done. Rejects with the error of the work (message, stack and code of it), with the
   * signal's reason as soon as that aborts, with 500 `worker_died`, also when the thread hangs, which ends it, or with
   * 500 `worker_unavailable`: when there can be no thread, and after `close`.
   */
  async call<Name extends keyof C & string>(
    name: Name,
    argument: C[Name]['argument'],
    { body, mayTake = false, signal }: CallOptions = {},
  ): Promise<C[Name]['value']> {
    if (this.#isClosed) throw workerError('worker_unavailable', null);
    signal?.throwIfAborted();
    const worker = (this.#worker ??= this.#start());
    const id = (this.#lastId += 1);
    let giveUp = (): void => {};
    try {
      return await new Promise((resolve, reject) => {
        giveUp = () => reject(signal?.reason);
        signal?.addEventListener('abort', giveUp, { once: true });
        this.#pending.set(id, { name, resolve, reject });
        worker.ref();
        const request: Request = { id, name, argument, body: body ?? null };
        worker.postMessage(request, mayTake ? movable(body) : []);
      });
    } finally {
      signal?.removeEventListener('abort', giveUp);
      this.#pending.delete(id);
      if (this.#pending.size === 0) {
        worker.unref();
        this.#onIdle();
      }
    }
  }

  /** Ends the thread once the work under way has ended, or after five seconds. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pending.size > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
        this.#onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const { program, limits, prepare, logger } = this.options;
    try {
      prepare?.();
      const worker = new Worker(program, { resourceLimits: limits, name: 'vidimus-worker' });
      worker.unref();
      this.#watch(worker);
      return worker;
    } catch (error) {
      logger.error({ err: error }, 'the worker thread cannot be started');
      throw workerError('worker_unavailable', error);
    }
  }

  /** Takes its answers; when it is gone, everything that waits for it fails. */
  #watch(worker: Worker): void {
    const { maxSilenceMs = MAX_SILENCE_MS, logger } = this.options;
    let [hasBegun, isSilent] = [false, false];
    let cause: Error | null = null;
    const pinging = setInterval(() => {
      const work = Array.from(this.#pending.values(), ({ name }) => name);
      if (isSilent) {
        logger.error({ work }, 'the worker thread hangs and is terminated');
        void worker.terminate();
      }
      isSilent = work.length > 0;
      if (isSilent) worker.postMessage(PING);
    }, maxSilenceMs).unref();
    worker.on('message', (reply: Reply | typeof BEGUN) => {
      isSilent = false;
      if (reply === BEGUN) {
        hasBegun = true;
        return;
      }
      const call = this.#pending.get(reply.id);
      if (reply.ok) call?.resolve(reply.value);
      else {
        const { message, stack, code } = reply;
        call?.reject(Object.assign(new Error(message), { stack }, code === undefined ? {} : { code }));
      }
    });
    worker.on('error', (error: Error) => {
      cause = error;
      logger.error({ err: error }, 'the worker thread died; the next task starts another');
    });
    worker.on('exit', () => {
      clearInterval(pinging);
      this.#worker = null;
      const reason = hasBegun ? 'worker_died' : 'worker_unavailable';
      for (const { reject } of this.#pending.values()) reject(workerError(reason, cause));
    });
  }
}

/** Short bodies share memory with others, and some memory cannot be moved at all. */
function movable(body: unknown): ArrayBuffer[] {
  if (!(body instanceof Uint8Array)) return [];
  const { buffer, byteLength } = body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 0 ? [buffer] : [];
}

function workerError(reason: 'worker_died' | 'worker_unavailable', cause: unknown): ApiError {
  const what = reason === 'worker_died' ? 'died during this task' : 'is not available';
  const detail = `The worker thread for pages and images ${what}`;
  return new ApiError(500, 'Internal server error', { reason, detail, cause });
}

/** Does the work, each kind under its name; `body` holds the bytes to work on, none when none were sent. */
export type Handlers<C extends Calls> = {
  [Name in keyof C]: (argument: C[Name]['argument'], body: Buffer) => Promise<C[Name]['value']>;
};

/** Bytes that came from the other thread, which they do as plain `Uint8Array`. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Answers the calls that a `WorkerThread` sends, any number at once. The member `body` of a value is moved. */
export function serveCalls<C extends Calls>(port: MessagePort, handlers: Handlers<C>): void {
  async function answer({ id, name, argument, body }: Request): Promise<Reply> {
    try {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`${name} is no work of this thread`);
      const value = await handler(argument, body === null ? Buffer.alloc(0) : asBuffer(body));
      return { id, ok: true, value };
    } catch (error) {
      const { message, stack } =
        error instanceof Error ? error : { message: String(error), stack: undefined };
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return { id, ok: false, message, stack, code };
    }
  }
  const send = (reply: Reply): void => {
    port.postMessage(reply, reply.ok && isRecord(reply.value) ? movable(reply.value['body']) : []);
  };
  port.on('message', (request: Request) => void answer(request).then(send));
  port.postMessage(BEGUN);
}
