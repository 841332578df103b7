import type { MessagePort } from 'node:worker_threads';

import { faultOf } from './messages.js';
import type { Reply, Request } from './messages.js';

/** Argument and value of each kind of call; both are what the structured clone algorithm carries. */
export type Calls = Record<string, { argument: unknown; value: unknown }>;

/** What comes with an argument. */
export interface CallContext {
  /** Bytes to work on; empty when none were sent. */
  body: Buffer;
  /** Says that nobody waits for the call any more. */
  signal: AbortSignal;
}

/** Does the work, each kind under its name. */
export type Handlers<C extends Calls> = {
  [Name in keyof C]: (argument: C[Name]['argument'], context: CallContext) => Promise<C[Name]['value']>;
};

interface Gathering {
  body: Buffer;
  filledBytes: number;
}

/** Answers the calls that a `WorkerThread` sends, any number at once, until it is told to end. */
export function serveCalls<C extends Calls>(port: MessagePort, handlers: Handlers<C>): void {
  const running = new Map<number, AbortController>();
  const gathering = new Map<number, Gathering>();

  function gather({ id, sizeBytes, piece }: Extract<Request, { kind: 'piece' }>): void {
    const made = gathering.get(id) ?? { body: Buffer.allocUnsafe(sizeBytes), filledBytes: 0 };
    made.body.set(piece, made.filledBytes);
    made.filledBytes += piece.length;
    gathering.set(id, made);
  }

  function bodyOf({ id, body }: Extract<Request, { kind: 'call' }>): Buffer {
    if (body !== null) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    return gathering.get(id)?.body ?? Buffer.alloc(0);
  }

  async function answer(request: Extract<Request, { kind: 'call' }>): Promise<Reply> {
    const { id, name, argument } = request;
    const cancelling = new AbortController();
    running.set(id, cancelling);
    const body = bodyOf(request);
    gathering.delete(id);
    try {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`${name} is no work of this thread`);
      return { id, ok: true, value: await handler(argument, { body, signal: cancelling.signal }) };
    } catch (error) {
      return { id, ok: false, fault: faultOf(error) };
    } finally {
      running.delete(id);
    }
  }

  port.on('message', (request: Request) => {
    if (request.kind === 'piece') gather(request);
    else if (request.kind === 'call') void answer(request).then((reply) => port.postMessage(reply));
    else if (request.kind === 'cancel') {
      running.get(request.id)?.abort();
      gathering.delete(request.id);
    } else port.close();
  });
}
