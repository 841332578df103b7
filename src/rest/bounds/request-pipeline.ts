import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { reset } from './client-connections.js';

/** Of one connection. Node reads as many as one packet holds. */
const MAX_WAITING = 100;

/**
 * Requests that came on a connection before earlier ones were answered (RFC 9112 §9.3.2). Each starts when its answer
 * may be written, so that a connection never holds more than one answer.
 */
export class RequestPipeline {
  readonly #waiting = new WeakMap<Socket, number>();

  constructor(private readonly bounds: ReachedClientBounds) {}

  /** Calls `serve` when all before it have been answered; resets the connection when too many wait. */
  wait(response: ServerResponse, serve: () => void): void {
    const { socket } = response.req;
    if (socket.destroyed) return;
    const waiting = (this.#waiting.get(socket) ?? 0) + 1;
    if (waiting > MAX_WAITING) {
      this.bounds.note('pipelined', { client: socket.remoteAddress });
      reset(socket);
      return;
    }
    this.#waiting.set(socket, waiting);
    response.once('socket', () => {
      this.#waiting.set(socket, (this.#waiting.get(socket) ?? 1) - 1);
      serve();
    });
  }
}
