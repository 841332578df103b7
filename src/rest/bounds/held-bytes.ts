import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';

import type { ReachedClientBounds } from '../../core/base/limits/reached-bounds.js';
import { unavailable } from '../../core/base/errors/api-error.js';
import { FairQueue, type QueueTicket } from '../../core/base/fair-queue.js';
import type { KeyAnswer } from '../../core/notary/key-record/record-signing.js';
import { KEY_QUERY_LIMITS } from '../../core/notary/keys/key-query.js';
import type { Exchange } from '../request-exchange.js';
import { type BodyKind, JSON_ANSWER, sendBytes, sendHead } from '../respond.js';
import { reset } from './client-connections.js';

export interface ByteLimits {
  maxBytes: number;
  maxBytesPerClient: number;
}

/** So many clients keep an entry without bytes: in V8, adding and deleting entries keeps garbage alive. */
const MAX_IDLE_CLIENTS = 1000;

/** How many bytes there are of each client, and of all. */
class BytesOfClients {
  readonly #ofClient = new Map<string, number>();
  #all = 0;

  get all(): number {
    return this.#all;
  }

  of(client: string): number {
    return this.#ofClient.get(client) ?? 0;
  }

  add(client: string, bytes: number): void {
    const own = this.of(client) + bytes;
    this.#all += bytes;
    if (own === 0 && this.#ofClient.size > MAX_IDLE_CLIENTS) this.#ofClient.delete(client);
    else this.#ofClient.set(client, own);
  }

  /** The client with the most. */
  largest(): string {
    let [largest, most] = ['', -1];
    for (const [client, bytes] of this.#ofClient) if (bytes > most) [largest, most] = [client, bytes];
    return largest;
  }
}

/** What a piece of a body takes at least, however short it is. */
const LEAST_PIECE_BYTES = 512;

/**
 * Bodies of requests, from their first piece until they are answered. Nobody may hold more than is free, so that there
 * is always room for a new client.
 */
export class BodyBytes {
  readonly #held = new BytesOfClients();

  constructor(
    private readonly limits: ByteLimits,
    private readonly bounds: ReachedClientBounds,
  ) {}

  get bytes(): number {
    return this.#held.all;
  }

  /** Takes a piece of a body, or says that there is no room for it. */
  open(response: ServerResponse, client: string): (pieceBytes: number) => boolean {
    let heldBytes = 0;
    // Not `once`: V8 comes to make its state in the old generation, which keeps each answered request alive for long.
    response.on('close', () => this.#held.add(client, -heldBytes));
    return (pieceBytes) => {
      const bytes = Math.max(pieceBytes, LEAST_PIECE_BYTES);
      if (response.closed || !this.#hasRoom(bytes, client)) return false;
      heldBytes += bytes;
      this.#held.add(client, bytes);
      return true;
    };
  }

  #hasRoom(bytes: number, client: string): boolean {
    const { maxBytes, maxBytesPerClient } = this.limits;
    const heldBytes = this.#held.of(client) + bytes;
    const isClientFull = heldBytes > maxBytesPerClient;
    if (!isClientFull && heldBytes <= maxBytes - this.bytes) return true;
    this.bounds.note(isClientFull ? 'client_bodies' : 'bodies', { client, body_bytes: this.bytes });
    return false;
  }
}

interface UnsentAnswer {
  response: ServerResponse;
  client: string;
  bytes: number;
}

/** Answers that wait for their clients. Beyond a limit the oldest of the client with the most is reset. */
export class UnsentBytes {
  readonly #held = new BytesOfClients();
  /** The oldest first. */
  readonly #answers = new Set<UnsentAnswer>();
  /** Called when an answer waits no longer. */
  onReleased: () => void = () => undefined;

  constructor(
    private readonly limits: ByteLimits,
    private readonly bounds: ReachedClientBounds,
  ) {}

  get bytes(): number {
    return this.#held.all;
  }

  /** Whether the client may leave one of the largest answers unread beside what waits for it already. */
  hasRoomForLarge(client: string): boolean {
    const heldBytes = this.#held.of(client);
    return heldBytes === 0 || heldBytes + KEY_QUERY_LIMITS.maxAnswerBytes <= this.limits.maxBytesPerClient;
  }

  /**
   * Counts what is left of an answer; the returned function takes off what the client has read. A single answer may
   * exceed the limits.
   */
  hold(
    response: ServerResponse,
    client: string,
    bytes = response.writableLength,
  ): (takenBytes: number) => void {
    // Nothing would ever release it.
    if (response.closed) return () => {};
    const others = { ownBytes: this.#held.of(client), allBytes: this.bytes };
    const answer = { response, client, bytes };
    this.#answers.add(answer);
    this.#held.add(client, bytes);
    response.on('close', () => this.#release(answer));
    const { maxBytes, maxBytesPerClient } = this.limits;
    // As many as it takes: the oldest may be short.
    while (others.ownBytes > 0 && this.#held.of(client) > Math.max(bytes, maxBytesPerClient))
      this.#giveUp(client, 'client_unsent');
    while (others.allBytes > 0 && this.bytes > Math.max(bytes, maxBytes))
      this.#giveUp(this.#held.largest(), 'unsent');
    return (takenBytes) => {
      if (!this.#answers.has(answer)) return;
      answer.bytes -= takenBytes;
      this.#held.add(client, -takenBytes);
    };
  }

  #release(answer: UnsentAnswer): void {
    if (this.#answers.delete(answer)) this.#held.add(answer.client, -answer.bytes);
    this.onReleased();
  }

  #giveUp(client: string, bound: 'unsent' | 'client_unsent'): void {
    const oldest = [...this.#answers].find((answer) => answer.client === client && answer.bytes > 0);
    if (oldest === undefined) return;
    this.bounds.note(bound, { client, unsent_bytes: this.bytes });
    this.#release(oldest);
    reset(oldest.response.req.socket);
  }
}

type Find = () => Promise<KeyAnswer | (() => Promise<void>)>;

/** Each that is made holds its records, each that waits its request. */
const MAKING = { maxRunning: 4, maxWaiting: 64 };
const PIECE_BYTES = 256 * 1024;

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
      onLimit: bounds.whenDropped('large_answers'),
    });
    unsent.onReleased = () => this.#queue.admit();
  }

  get load(): { writing: number; waiting: number } {
    return { writing: this.#writing, waiting: this.#queue.load.waiting };
  }

  /**
   * Answers when it has a slot, with what `find` makes then: nothing of it is held before. A function that `find` makes
   * instead is waited for without a slot, then it is called in one again. Rejects with 503 when too many wait already.
   */
  async send(exchange: Exchange, find: Find, kind = JSON_ANSWER): Promise<void> {
    let wait = await this.#sendInSlot(exchange, find, kind);
    while (wait !== null) {
      await wait();
      wait = await this.#sendInSlot(exchange, find, kind);
    }
  }

  /** Resolves to what has to be waited for before it can be sent; `null`: it was sent, or its client has gone. */
  async #sendInSlot(exchange: Exchange, find: Find, kind: BodyKind): Promise<(() => Promise<void>) | null> {
    const { request, response, client } = exchange;
    const ticket = await this.#admit(exchange);
    if (ticket === null) return null;
    this.#writing += 1;
    try {
      const answer = await find();
      if (exchange.isCutOff) return null;
      if (typeof answer === 'function') return answer;
      if ('parts' in answer) {
        sendHead(exchange, answer.bytes, kind);
        const takeOff = this.unsent.hold(response, client, answer.bytes);
        ticket.leave();
        await writePieces(response, request.method === 'HEAD' ? [] : answer.parts, takeOff);
      } else sendBytes(exchange, answer, kind);
      return null;
    } finally {
      this.#writing -= 1;
      ticket.leave();
    }
  }

  /** A slot; `null` when the client has gone. */
  async #admit({ response, client }: Exchange): Promise<QueueTicket | null> {
    if (response.destroyed) return null;
    const ticket = this.#queue.enter({ client });
    response.on('close', () => (ticket.isRunning() ? undefined : ticket.leave()));
    if (await ticket.admitted) return ticket;
    if (response.destroyed) return null;
    // A client that does not read keeps no connection for it.
    response.shouldKeepAlive = false;
    const message = 'Too many large answers are waiting; request fewer servers at a time';
    throw unavailable('answers_waiting', message, { retryAfterSeconds: 10 });
  }
}

/** Writes a body as fast as its client reads, other work in between; only here are its bytes copied. */
async function writePieces(
  response: ServerResponse,
  parts: readonly Buffer[],
  onTaken: (bytes: number) => void,
): Promise<void> {
  if (response.destroyed) return;
  const closed = new Promise<void>((resolve) => response.on('close', resolve));
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
