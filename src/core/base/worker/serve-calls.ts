import type { MessagePort } from 'node:worker_threads';

/** Argument and value of each kind of call: what the structured clone algorithm carries. */
export type Calls = Record<string, { argument: unknown; value: unknown }>;

/** Does the work, each kind under its name; `body` holds the bytes to work on, none when none were sent. */
export type Handlers<C extends Calls> = {
  [Name in keyof C]: (argument: C[Name]['argument'], body: Buffer) => Promise<C[Name]['value']>;
};

/** `isLent`: the caller wants the body back. */
export interface Request {
  id: number;
  name: string;
  argument: unknown;
  body: Uint8Array | null;
  isLent: boolean;
}

/** Says that calls are taken from now on. */
export const BEGUN = 'begun';

/** What became of a call, with the body that was lent for it. Errors would lose their code between threads. */
export type Reply =
  | { id: number; ok: true; value: unknown; body: Uint8Array | null }
  | { id: number; ok: false; message: string; stack: string | undefined; code: unknown };

/** Bytes that came from the other thread, which they do as plain `Uint8Array`. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Answers the calls that a `WorkerThread` sends, any number at once. */
export function serveCalls<C extends Calls>(port: MessagePort, handlers: Handlers<C>): void {
  async function answer({ id, name, argument, body, isLent }: Request): Promise<Reply> {
    try {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`${name} is no work of this thread`);
      const value = await handler(argument, body === null ? Buffer.alloc(0) : asBuffer(body));
      return { id, ok: true, value, body: isLent ? body : null };
    } catch (error) {
      const { message, stack } =
        error instanceof Error ? error : { message: String(error), stack: undefined };
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return { id, ok: false, message, stack, code };
    }
  }
  const send = (reply: Reply): void => {
    const lent = reply.ok ? reply.body : null;
    port.postMessage(reply, lent?.buffer instanceof ArrayBuffer ? [lent.buffer] : []);
  };
  port.on('message', (request: Request) => void answer(request).then(send));
  port.postMessage(BEGUN);
}
