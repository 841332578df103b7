import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';

import type { Client } from '../../core/base/client.js';
import { addCount, FairQueue, type QueueLoad, type QueueTicket } from '../../core/base/fair-queue.js';
import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { SECOND_MS, type Clock } from '../../core/base/clock.js';
import { unavailable } from '../../core/base/errors/api-error.js';
import type { KeyAnswer } from '../../core/notary/key-record/record-signing.js';
import { KEY_QUERY_LIMITS } from '../../core/notary/keys/key-query.js';
import type { Exchange } from '../request-exchange.js';
import { JSON_ANSWER, sendBytes, sendHead, type BodyKind } from '../respond.js';
import type { ByteLimits, UnsentBytes } from './held-bytes.js';

/** Each holds its request. */
const WAITING = { maxWaiting: 64, maxWaitingPerClient: 16 };
/** A client that takes longer loses its slot when others wait for one. */
const SLOT_MS = 5 * SECOND_MS;
const PIECE_BYTES = 256 * 1024;

interface LargeAnswersParts {
  clock: Clock;
  bounds: ReachedClientBounds;
  /** Counts the answers that go on without a slot. */
  unsent: UnsentBytes;
}

/** A large answer as it is requested. */
export interface LargeRequest {
  client: Client;
  /** Makes the answer, so that nothing of it is held before it has a slot. */
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
  /** Absent while it has its slot. */
  takeOff?: (bytes: number) => void;
}

/**
 * A queue of large answers. They share their bytes with the cache of records, so each holds at most what one answer may
 * be long. A slot that is held too long while others wait is given up: the answer then goes on without one, as one that
 * its client has not read yet, and meanwhile that client begins no other.
 */
export class LargeAnswers {
  readonly #queue: FairQueue;
  readonly #writing = new Set<Writing>();
  readonly #maxWriting: number;
  /** How many answers of a client go on without a slot. */
  readonly #goingOn = new Map<string, number>();

  constructor(
    limits: ByteLimits,
    private readonly parts: LargeAnswersParts,
  ) {
    const slots = (bytes: number): number => Math.max(1, Math.floor(bytes / KEY_QUERY_LIMITS.maxAnswerBytes));
    this.#maxWriting = slots(limits.maxBytes);
    this.#queue = new FairQueue({
      ...WAITING,
      maxRunning: this.#maxWriting,
      reserved: Math.floor(this.#maxWriting / 2),
      maxRunningPerClient: slots(limits.maxBytesPerClient),
      mayStart: (client) => !this.#goingOn.has(client),
      onLimit: (limit, { client }) => {
        if (limit !== 'waiting') return;
        const { running: writing, waiting } = this.load;
        parts.bounds.note('large_answers', { client, writing, waiting });
      },
    });
  }

  get load(): QueueLoad {
    return this.#queue.load;
  }

  /** Takes slots away that are held too long; to be called now and then. */
  look(): void {
    const nowTs = this.parts.clock.now();
    for (const writing of this.#writing) {
      const { running, waiting } = this.load;
      if (running < this.#maxWriting) return;
      const othersWait = waiting > this.#queue.waitingOf(writing.client);
      const hasSlot = writing.takeOff === undefined;
      if (hasSlot && othersWait && nowTs - writing.sinceTs >= SLOT_MS) this.#endSlot(writing);
    }
  }

  /** Answers when it has a slot. Rejects with 503 when too many wait already. */
  async send(exchange: Exchange, { client, find, kind = JSON_ANSWER }: LargeRequest): Promise<void> {
    const { response } = exchange;
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
    try {
      const answer = await find();
      if (exchange.isCutOff === true) return;
      if (!('parts' in answer)) {
        sendBytes(exchange, answer, kind);
        return;
      }
      sendHead(exchange, answer.bytes, kind);
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
    const writing: Writing = { response, sinceTs: this.parts.clock.now(), leftBytes: bytes, ...whose };
    this.#writing.add(writing);
    await writePieces(response, request.method === 'HEAD' ? [] : parts, (takenBytes) => {
      writing.leftBytes -= takenBytes;
      writing.takeOff?.(takenBytes);
    });
    this.#writing.delete(writing);
    if (writing.takeOff === undefined) return;
    addCount(this.#goingOn, writing.client, -1);
    this.#queue.admit();
  }

  #endSlot(writing: Writing): void {
    const { bounds, unsent } = this.parts;
    const { response, client, ticket, leftBytes } = writing;
    bounds.note('large_turn', { client, left_bytes: leftBytes, waiting: this.load.waiting });
    addCount(this.#goingOn, client, 1);
    writing.takeOff = unsent.hold(response, client, leftBytes);
    ticket.leave();
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
