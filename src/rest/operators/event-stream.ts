import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether the client reads server-sent events (HTML §9.2). */
export function wantsEvents({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return /\btext\/event-stream\b/i.test(headers.accept ?? '');
}

/**
 * An answer as server-sent events, in the distinct connections mode of the protocol GraphQL over SSE: results as
 * `next`, then `complete`. The head goes out with the first event, so that what fails before keeps its status.
 */
export class EventStream {
  constructor(private readonly response: ServerResponse) {}

  /** A stage: a result that has nothing but an extension. */
  stage(stage: object): void {
    this.#next(JSON.stringify({ extensions: { stage } }));
  }

  /** Ends the answer with the result, which is JSON text. */
  end(result: string): void {
    this.#next(result);
    if (!this.response.destroyed) this.response.end('event: complete\ndata:\n\n');
  }

  #next(json: string): void {
    const { response } = this;
    if (response.destroyed) return;
    if (!response.headersSent) {
      response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
      // Proxies must not gather it.
      response.setHeader('X-Accel-Buffering', 'no');
    }
    response.write(`event: next\ndata: ${json.replaceAll('\n', ' ')}\n\n`);
  }
}
