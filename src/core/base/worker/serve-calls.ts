import type { MessagePort } from 'node:worker_threads';

import { asBuffer, BEGUN, serializeError, type Reply, type Request } from './messages.js';

/**
 * Argument and value of each kind of call, and what some tell before they are done; all are what the structured clone
 * algorithm carries.
 */
export type Calls = Record<string, { argument: unknown; value: unknown; interim?: unknown }>;

/** What comes with an argument. */
export interface CallContext<Interim> {
  /** Bytes to work on; empty when none were sent. */
  body: Buffer;
  /** Says that nobody waits for the call any more. */
  signal: AbortSignal;
  /** Notifies the caller before the work is done. */
  tell: (interim: Interim) => void;
}

/** Does the work, each kind under its name. */
export type Handlers<C extends Calls> = {
  [Name in keyof C]: (
    argument: C[Name]['argument'],
    context: CallContext<C[Name]['interim']>,
  ) => Promise<C[Name]['value']>;
};

type RequestOf<Kind extends Request['kind']> = Extract<Request, { kind: Kind }>;

/** Bodies that come in pieces, by the call they belong to. */
class Bodies {
  readonly #gathered = new Map<number, { body: Buffer; filledBytes: number }>();

  add({ id, sizeBytes, chunk }: RequestOf<'piece'>): void {
    const gathered = this.#gathered.get(id) ?? { body: Buffer.allocUnsafe(sizeBytes), filledBytes: 0 };
    gathered.body.set(chunk, gathered.filledBytes);
    gathered.filledBytes += chunk.length;
    this.#gathered.set(id, gathered);
  }

  take({ id, body }: RequestOf<'call'>): Buffer {
    if (body !== null) return asBuffer(body);
    const gathered = this.#gathered.get(id)?.body;
    this.drop(id);
    return gathered ?? Buffer.alloc(0);
  }

  drop(id: number): void {
    this.#gathered.delete(id);
  }
}

/** Answers the calls that a `WorkerThread` sends, any number at once, until it is told to end. */
export function serveCalls<C extends Calls>(port: MessagePort, handlers: Handlers<C>): void {
  const running = new Map<number, AbortController>();
  const bodies = new Bodies();

  async function answer(request: RequestOf<'call'>): Promise<Reply> {
    const { id, name, argument, isLent } = request;
    const cancelling = new AbortController();
    running.set(id, cancelling);
    const body = bodies.take(request);
    try {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`${name} is no work of this thread`);
      const tell = (interim: unknown): void => send({ id, interim });
      const value = await handler(argument, { body, signal: cancelling.signal, tell });
      return { id, ok: true, value, body: isLent ? body : null };
    } catch (error) {
      return { id, ok: false, error: serializeError(error) };
    } finally {
      running.delete(id);
    }
  }

  function send(reply: Reply): void {
    const lent = 'ok' in reply && reply.ok ? reply.body : null;
    const moved = lent?.buffer instanceof ArrayBuffer ? [lent.buffer] : [];
    port.postMessage(reply, moved);
  }

  port.on('message', (request: Request) => {
    if (request.kind === 'piece') bodies.add(request);
    else if (request.kind === 'call') void answer(request).then(send);
    else if (request.kind === 'cancel') {
      running.get(request.id)?.abort();
      bodies.drop(request.id);
    } else port.close();
  });
  port.postMessage(BEGUN);
}
