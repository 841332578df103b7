import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { Router } from 'express';

import type { AdminGate } from '../../core/access/operators/admin-gate.js';
import type { Viewer } from '../../core/access/operators/viewer.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { readBody } from '../read-body.js';
import { serve, type Handler } from '../serve.js';
import { endHeld } from '../respond.js';
import { addressOf, viewerOf } from './admin-answers.js';

export interface GraphqlExecutor {
  execute(call: {
    body: Buffer;
    viewer: Viewer | null;
    address: string | null;
    requestId: string;
    gone: AbortSignal;
    onStage?: (stage: object) => void;
  }): Promise<{ status: number; retryAfterSeconds: number | null; body: string }>;
}

/** A page's largest operation has some 750 bytes. */
const MAX_BODY_BYTES = 100_000;
/** Below so many characters a packet holds the answer as it is. */
const MIN_COMPRESSED = 1_000;
const OK = 200;
const TOO_MANY = 429;
const compress = promisify(gzip);

/**
 * `POST …/api/graphql`, JSON only: nothing can be asked by a link or a form. With `Accept: text/event-stream` the answer
 * is GraphQL over SSE, with the stages of an operation before its result; closing the connection cancels it.
 */
export function graphqlRoutes(
  gate: AdminGate,
  executor: GraphqlExecutor,
  reached: ReachedClientBounds,
): Router {
  const router = Router();
  const post: Handler = async (exchange, request, response) => {
    const viewer = await viewerOf(exchange, gate);
    const body = await readBody(exchange, MAX_BODY_BYTES);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const events = new EventStream(response);
    const answer = await executor.execute({
      body,
      viewer,
      address: addressOf(exchange),
      requestId: exchange.requestId,
      gone: gone.signal,
      ...(wantsEvents(request) ? { onStage: (stage) => events.stage(stage) } : {}),
    });
    if (answer.status === TOO_MANY) reached.note('graphql', { client: addressOf(exchange) });
    if (response.destroyed) return;
    if (response.headersSent || (wantsEvents(request) && answer.status === OK)) {
      events.end(answer.body);
      return;
    }
    if (answer.retryAfterSeconds !== null) response.setHeader('Retry-After', answer.retryAfterSeconds);
    response.statusCode = answer.status;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Vary', 'Accept-Encoding');
    const isPlain = answer.body.length < MIN_COMPRESSED || request.acceptsEncodings('gzip') !== 'gzip';
    if (!isPlain) response.setHeader('Content-Encoding', 'gzip');
    endHeld(exchange, isPlain ? answer.body : await compress(answer.body));
  };
  serve(router, { label: 'admin_graphql', path: '/api/graphql', post });
  return router;
}

/** Whether the client reads server-sent events (HTML §9.2). */
function wantsEvents({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return /\btext\/event-stream\b/i.test(headers.accept ?? '');
}

/**
 * An answer as server-sent events, in the distinct connections mode of the protocol GraphQL over SSE: results as
 * `next`, then `complete`. The head goes out with the first event, so that what fails before keeps its status.
 */
class EventStream {
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
