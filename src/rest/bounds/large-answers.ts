import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';

import type { Client } from '../../core/base/client.js';
import { FairQueue } from '../../core/base/fair-queue.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { unavailable } from '../../core/base/errors/api-error.js';
import type { KeyAnswer } from '../../core/notary/key-record/record-signing.js';
import type { Exchange } from '../request-exchange.js';
import { JSON_ANSWER, sendBytes, sendHead, type BodyKind } from '../respond.js';
import type { UnsentBytes } from './held-bytes.js';

/** Each that is made holds its records, each that waits its request. */
const MAKING = {
  maxRunning: 4,
  reserved: 2,
  maxRunningPerClient: 2,
  maxWaiting: 64,
  maxWaitingPerClient: 16,
};
const PIECE_BYTES = 256 * 1024;

/** A large answer as it is requested. */
export interface LargeRequest {
  client: Client;
  /** Makes the answer, so that nothing of it is held before it has a slot. */
  find: () => Promise<KeyAnswer>;
  /** Absent: a JSON answer. */
  kind?: BodyKind;
}

/**
 * Large answers are made a few at a time, then count as unsent until their clients have read them. Nobody begins one
 * while earlier ones leave no room for it in what the client may leave unread.
 */
export class LargeAnswers {
  readonly #queue: FairQueue;
  #writing = 0;

  constructor(
    private readonly unsent: UnsentBytes,
    bounds: ReachedClientBounds,
  ) {
    this.#queue = new FairQueue({
      ...MAKING,
      mayStart: (client) => unsent.hasRoomForLarge(client),
      onLimit: (limit, { client }) => {
        if (limit === 'waiting') bounds.note('large_answers', { client, ...this.load });
      },
    });
    unsent.onReleased = () => this.#queue.admit();
  }

  get load(): { writing: number; waiting: number } {
    return { writing: this.#writing, waiting: this.#queue.load.waiting };
  }

  /** Answers when it has a slot. Rejects with 503 when too many wait already. */
  async send(exchange: Exchange, { client, find, kind = JSON_ANSWER }: LargeRequest): Promise<void> {
    const { request, response } = exchange;
    if (response.destroyed) return;
    const ticket = this.#queue.enter({ client });
    response.once('close', () => (ticket.isRunning() ? undefined : ticket.leave()));
    if (!(await ticket.admitted)) {
      if (response.destroyed) return;
      // A client that does not read keeps no connection for it.
      response.shouldKeepAlive = false;
      const message = 'Too many large answers wait to be sent; ask for less at a time';
      throw unavailable('answers_waiting', message, { retryAfterSeconds: 10 });
    }
    this.#writing += 1;
    try {
      const answer = await find();
      if (exchange.isCutOff === true) return;
      if (!('parts' in answer)) {
        sendBytes(exchange, answer, kind);
        return;
      }
      sendHead(exchange, answer.bytes, kind);
      const takeOff = this.unsent.hold(response, client, answer.bytes);
      ticket.leave();
      await writePieces(response, request.method === 'HEAD' ? [] : answer.parts, takeOff);
    } finally {
      this.#writing -= 1;
      ticket.leave();
    }
  }
}

/** Writes a body as fast as its client reads, other work in between; only here are its bytes copied. */
async function writePieces(
  response: ServerResponse,
  parts: readonly Buffer[],
  onTaken: (bytes: number) => void,
): Promise<void> {
  if (response.destroyed) return;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  for (const piece of piecesOf(parts)) {
    await setImmediate();
    if (response.destroyed) return;
    if (!response.write(piece))
      await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))]);
    onTaken(piece.length);
  }
  response.end();
  await closed;
}

/** The same bytes in pieces of one size. */
function* piecesOf(parts: readonly Buffer[]): Generator<Buffer> {
  let piece: Buffer[] = [];
  let bytes = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length;) {
      const more = part.subarray(at, at + PIECE_BYTES - bytes);
      piece.push(more);
      bytes += more.length;
      at += more.length;
      if (bytes < PIECE_BYTES) continue;
      yield Buffer.concat(piece, bytes);
      piece = [];
      bytes = 0;
    }
  }
  if (bytes > 0) yield Buffer.concat(piece, bytes);
}
