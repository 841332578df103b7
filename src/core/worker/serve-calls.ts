import type { MessagePort } from 'node:worker_threads';

import { faultOf } from './messages.js';
import type { Reply, Request } from './messages.js';

/** Argument and value of each kind of call; both are what the structured clone algorithm carries. */
export type Calls = Record<string, { argument: unknown; value: unknown }>;

/** Does the work, each kind under its name. The signal says that nobody waits for it any more. */
export type Handlers<C extends Calls> = {
  [Name in keyof C]: (argument: C[Name]['argument'], signal: AbortSignal) => Promise<C[Name]['value']>;
};

/** Answers the calls that a `WorkerThread` sends, any number at once, until it is told to end. */
export function serveCalls<C extends Calls>(port: MessagePort, handlers: Handlers<C>): void {
  const running = new Map<number, AbortController>();

  async function answer({ id, name, argument }: Extract<Request, { kind: 'call' }>): Promise<Reply> {
    const cancelling = new AbortController();
    running.set(id, cancelling);
    try {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`${name} is no work of this thread`);
      return { id, ok: true, value: await handler(argument, cancelling.signal) };
    } catch (error) {
      return { id, ok: false, fault: faultOf(error) };
    } finally {
      running.delete(id);
    }
  }

  port.on('message', (request: Request) => {
    if (request.kind === 'end') port.close();
    else if (request.kind === 'cancel') running.get(request.id)?.abort();
    else void answer(request).then((reply) => port.postMessage(reply));
  });
}
