import type { Socket } from 'node:net';

import type { Asker } from '../../core/base/places/asker.js';
import { Places, type PlaceLoad } from '../../core/base/places/places.js';
import type { ReachedClientBounds } from '../../core/base/places/reached-bounds.js';
import { tooManyAnswers } from '../../core/base/errors/api-error.js';
import type { KeyAnswer } from '../../core/notary/key-record/key-answer.js';
import type { Exchange } from '../request-exchange.js';
import { sendHead, sendJsonBytes, sendJsonHead, type BodyKind } from '../respond.js';
import { BytePump } from './byte-pump.js';

/** How many answers may be under way at once, and how many may wait; in total and for one client. */
export interface LargeAnswerLimits {
  maxWriting: number;
  maxWritingPerClient: number;
  /** Settings server.max_waiting_answers and …_per_client. Each holds its question. */
  maxWaiting: number;
  maxWaitingPerClient: number;
}

/** A large answer as it is asked for. */
export interface LargeRequest {
  asker: Asker;
  /** Works the answer out, so that nothing of it is held until its turn. */
  find: () => Promise<KeyAnswer>;
  /** Absent: a JSON answer. */
  kind?: BodyKind;
}

/**
 * Large answers take turns by client, then by question; nobody may have more under way than there are places free, and
 * whoever has the most waiting gives way. They
 * share their bytes with the cache of records, so each holds at most what one answer may be long.
 */
export class LargeAnswers {
  readonly #places: Places<never>;
  readonly #pump = new BytePump();
  readonly #sockets = new Set<Socket>();

  constructor(
    private readonly limits: LargeAnswerLimits,
    private readonly bounds: ReachedClientBounds,
  ) {
    const { maxWriting, maxWritingPerClient } = limits;
    this.#places = new Places({
      total: maxWriting,
      about: [],
      mayGo: (level, path) => level !== 'asker' || this.#places.hasShare(path, maxWritingPerClient),
    });
  }

  get load(): PlaceLoad {
    return this.#places.load;
  }

  /** Whether this connection holds a place that others wait for. */
  isAwaited(socket: Socket): boolean {
    return this.load.waiting > 0 && this.#sockets.has(socket);
  }

  /** Answers when its turn has come. Rejects with 503 when too many wait already. */
  async send(exchange: Exchange, { asker, find, kind }: LargeRequest): Promise<void> {
    const { response, request } = exchange;
    this.#checkRoom(response, asker.key);
    if (response.destroyed) return;
    const ticket = this.#places.enter({ asker, about: [] });
    response.once('close', ticket.giveUp);
    if (!(await ticket.admitted)) {
      if (response.destroyed) return;
      throw this.#refusal(response);
    }
    this.#sockets.add(request.socket);
    try {
      const answer = await find();
      if (exchange.isCutOff === true) return;
      if (!('parts' in answer)) {
        sendJsonBytes(exchange, answer);
        return;
      }
      if (kind === undefined) sendJsonHead(exchange, answer.bytes);
      else sendHead(exchange, answer.bytes, kind);
      await this.#pump.write(response, request.method === 'HEAD' ? [] : answer.parts);
    } finally {
      this.#sockets.delete(request.socket);
      ticket.leave();
    }
  }

  #checkRoom(response: Exchange['response'], client: string): void {
    const { maxWaiting, maxWaitingPerClient } = this.limits;
    const { running: writing, waiting } = this.load;
    const isClientFull = this.#places.waitingOf(client) >= maxWaitingPerClient;
    if (waiting < maxWaiting && !isClientFull) return;
    this.bounds.note('large_answers', { client, writing, waiting });
    if (isClientFull || !this.#places.makeRoomFor(client)) throw this.#refusal(response);
  }

  #refusal(response: Exchange['response']): Error {
    // A client that does not read keeps no connection for it.
    response.shouldKeepAlive = false;
    return tooManyAnswers();
  }
}
