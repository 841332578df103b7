import type { ServerResponse } from 'node:http';

import { errorBody, publicReason, type ApiError } from '../core/base/errors/api-error.js';

/** Headers of every client-facing answer, errors included. */
export const CLIENT_HEADERS: readonly [string, string][] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, DELETE, OPTIONS'],
  ['Access-Control-Allow-Headers', 'X-Requested-With, Content-Type, Authorization, Date'],
  ['Access-Control-Expose-Headers', 'Error-Reason, Retry-After, X-Request-Id'],
  ['Cache-Control', 'no-cache, no-store, must-revalidate'],
  ['X-Content-Type-Options', 'nosniff'],
];

const SHORT_BODY_BYTES = 4096;

/** An answer in the making: where it goes and the id it is known by. */
export interface Answer {
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Counts what has been written and waits in memory for the client. */
  hold(): void;
}

/** What the bytes of an answer are, and how long caches may keep them: by default not at all. */
export class BodyKind {
  /** As `writeHead` takes them without copying. */
  readonly headers: readonly string[];
  readonly status: number = 200;

  constructor(contentType: string, cacheControl = 'no-cache, no-store, must-revalidate') {
    const common = CLIENT_HEADERS.filter(([name]) => name !== 'Cache-Control').flat();
    this.headers = [...common, 'Cache-Control', cacheControl, 'Content-Type', contentType];
  }
}

export const JSON_ANSWER = new BodyKind('application/json');

export function sendJsonBytes(answer: Answer, body: Buffer): void {
  sendBytes(answer, body, JSON_ANSWER);
}

export function sendBytes(answer: Answer, body: Buffer, kind: BodyKind): void {
  sendHead(answer, body.length, kind);
  // A short text leaves in one piece with the head; latin1 keeps every byte as it is.
  if (body.length <= SHORT_BODY_BYTES) answer.response.end(body.toString('latin1'), 'latin1');
  else endHeld(answer, body);
}

/** Ends an answer with its body, and counts what its client does not take at once. */
export function endHeld(answer: Pick<Answer, 'response' | 'hold'>, body: Buffer | string): void {
  answer.response.end(body);
  if (answer.response.writableLength > 0) answer.hold();
}

export function sendHead({ response, requestId }: Answer, bytes: number, kind: BodyKind): void {
  const { headers, status } = kind;
  response.writeHead(status, headers.concat('Content-Length', String(bytes), 'X-Request-Id', requestId));
}

/** Sends `{errcode, error}` (Matrix spec, "Standard error response"), or drops the connection when too late. */
export function sendError(answer: Answer, error: ApiError): void {
  if (answer.response.headersSent) {
    answer.response.destroy();
    return;
  }
  const { status, retryAfterSeconds, allowedMethods } = error;
  const allow = allowedMethods === null ? [] : ['Allow', allowedMethods];
  const retry = retryAfterSeconds === null ? [] : ['Retry-After', String(Math.ceil(retryAfterSeconds))];
  const headers = JSON_ANSWER.headers.concat(allow, retry, 'Error-Reason', publicReason(error));
  sendBytes(answer, Buffer.from(JSON.stringify(errorBody(error))), { headers, status });
}

export function sendPreflight(answer: Answer): void {
  answer.response.writeHead(204, [...CLIENT_HEADERS.flat(), 'X-Request-Id', answer.requestId]);
  answer.response.end();
}
