import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether the client reads server-sent events (HTML §9.2), which only our own pages ask for. */
export function wantsEvents({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return /\btext\/event-stream\b/i.test(headers.accept ?? '');
}

/**
 * An answer as server-sent events. Its head goes out with the first event, so that what fails before any keeps its
 * status; proxies are told not to gather it.
 */
export class EventStream {
  constructor(private readonly response: ServerResponse) {}

  /** `data` becomes JSON, which has no line breaks. */
  send(event: string, data: unknown): void {
    this.#write(event, JSON.stringify(data));
  }

  /** Ends the answer with one more event, of JSON text; `false` when none has gone out, and nothing was done. */
  end(event: string, json: string): boolean {
    if (!this.response.headersSent) return false;
    this.#write(event, json);
    this.response.end();
    return true;
  }

  #write(event: string, json: string): void {
    const { response } = this;
    if (response.destroyed) return;
    if (!response.headersSent) {
      response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
      response.setHeader('X-Accel-Buffering', 'no');
    }
    response.write(`event: ${event}\ndata: ${json.replaceAll('\n', ' ')}\n\n`);
  }
}
