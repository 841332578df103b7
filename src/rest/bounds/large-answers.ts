import type { ServerResponse } from 'node:http';

import type { Client } from '../../core/base/client.js';
import { addCount } from '../../core/base/add-count.js';
import { FairQueue, type QueueLoad, type QueueTicket } from '../../core/base/fair-queue.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import type { Clock } from '../../core/base/clock.js';
import { tooManyAnswers } from '../../core/base/errors/api-error.js';
import type { KeyAnswer } from '../../core/notary/key-record/key-answer.js';
import type { Exchange } from '../request-exchange.js';
import { sendHead, sendJsonBytes, sendJsonHead, type BodyKind } from '../respond.js';
import { BytePump } from './byte-pump.js';
import type { UnsentBytes } from './unsent-bytes.js';

/** How many answers may have a slot at once, and how many may wait; in total and for one client. */
export interface LargeAnswersOptions {
  maxWriting: number;
  maxWritingPerClient: number;
  /** Settings server.max_waiting_answers and …_per_client. Each holds its question. */
  maxWaiting: number;
  maxWaitingPerClient: number;
  /** Setting server.large_answer_turn. */
  turnMs: number;
  /** Counts those that go on without a place. */
  unsent: UnsentBytes;
  clock: Clock;
  bounds: ReachedClientBounds;
}

/** A large answer as it is asked for. */
export interface LargeRequest {
  client: Client;
  /** Works the answer out, so that nothing of it is held until its turn. */
  find: () => Promise<KeyAnswer>;
  /** Absent: a JSON answer. */
  kind?: BodyKind;
}

/** One that is being written. */
interface Writing {
  response: ServerResponse;
  client: string;
  ticket: QueueTicket;
  sinceTs: number;
  leftBytes: number;
  /** Absent while it has its place. */
  tellTaken?: (bytes: number) => void;
}

/**
 * A queue of large answers. They share their bytes with the cache of records, so each holds at most what one answer may
 * be long. A slot that is held too long while others wait is given up: the answer then goes on without one, as one that
 * its client has not read yet, and meanwhile that client begins no other.
 */
export class LargeAnswers {
  readonly #queue: FairQueue;
  readonly #pump = new BytePump();
  readonly #writing = new Set<Writing>();
  /** How many answers of a client go on without a slot. */
  readonly #goingOn = new Map<string, number>();

  constructor(private readonly options: LargeAnswersOptions) {
    const { maxWriting, maxWritingPerClient, maxWaiting, maxWaitingPerClient, bounds } = options;
    this.#queue = new FairQueue({
      maxRunning: maxWriting,
      reserved: Math.floor(maxWriting / 2),
      maxRunningPerClient: maxWritingPerClient,
      maxWaiting,
      maxWaitingPerClient,
      mayStart: (client) => !this.#goingOn.has(client),
      onLimit: (limit, { client }) => {
        const { running: writing, waiting } = this.load;
        if (limit === 'waiting') bounds.note('large_answers', { client, writing, waiting });
      },
    });
  }

  get load(): QueueLoad {
    return this.#queue.load;
  }

  /** Ends the turns that are over; to be called now and then. */
  look(): void {
    const { maxWriting, turnMs, clock } = this.options;
    const nowTs = clock.now();
    for (const writing of this.#writing) {
      const { running, waiting } = this.load;
      if (running < maxWriting) return;
      const othersWait = waiting > this.#queue.waitingOf(writing.client);
      if (othersWait && nowTs - writing.sinceTs >= turnMs) this.#endTurn(writing);
    }
  }

  /** Answers when its turn has come. Rejects with 503 when too many wait already. */
  async send(exchange: Exchange, { client, find, kind }: LargeRequest): Promise<void> {
    const { response } = exchange;
    if (response.destroyed) return;
    const ticket = this.#queue.enter({ client });
    response.once('close', () => (ticket.isRunning() ? undefined : ticket.leave()));
    if (!(await ticket.admitted)) {
      if (response.destroyed) return;
      throw this.#refusal(response);
    }
    try {
      const answer = await find();
      if (exchange.isCutOff === true) return;
      if (!('parts' in answer)) {
        sendJsonBytes(exchange, answer);
        return;
      }
      if (kind === undefined) sendJsonHead(exchange, answer.bytes);
      else sendHead(exchange, answer.bytes, kind);
      await this.#write(exchange, answer, { client, ticket });
    } finally {
      ticket.leave();
    }
  }

  async #write(
    { request, response }: Exchange,
    { parts, bytes }: Exclude<KeyAnswer, Buffer>,
    whose: Pick<Writing, 'client' | 'ticket'>,
  ): Promise<void> {
    const sinceTs = this.options.clock.now();
    const writing: Writing = { response, sinceTs, leftBytes: bytes, ...whose };
    this.#writing.add(writing);
    await this.#pump.write(response, request.method === 'HEAD' ? [] : parts, (takenBytes) => {
      writing.leftBytes -= takenBytes;
      writing.tellTaken?.(takenBytes);
    });
    this.#writing.delete(writing);
    if (writing.tellTaken === undefined) return;
    addCount(this.#goingOn, writing.client, -1);
    this.#queue.admit();
  }

  #endTurn(writing: Writing): void {
    const { bounds, unsent } = this.options;
    const { response, client, ticket, leftBytes } = writing;
    bounds.note('large_turn', { client, left_bytes: leftBytes, waiting: this.load.waiting });
    addCount(this.#goingOn, client, 1);
    writing.tellTaken = unsent.hold(response, client, leftBytes);
    ticket.leave();
  }

  #refusal(response: Exchange['response']): Error {
    // A client that does not read keeps no connection for it.
    response.shouldKeepAlive = false;
    return tooManyAnswers();
  }
}
