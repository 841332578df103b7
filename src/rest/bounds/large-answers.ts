import type { Asker } from '../../core/base/places/asker.js';
import type { ReachedClientBounds } from '../../core/base/places/reached-bounds.js';
import { tooManyAnswers } from '../../core/base/errors/api-error.js';
import { Turns } from '../../core/base/places/turns.js';
import type { KeyAnswer } from '../../core/notary/key-record/key-answer.js';
import type { Exchange } from '../request-exchange.js';
import { sendHead, sendJsonBytes, sendJsonHead } from '../respond.js';
import type { BodyKind } from '../respond.js';
import { BytePump } from './byte-pump.js';

/** How many answers may be under way at once, in total and for one client. */
export interface LargeAnswerLimits {
  maxWriting: number;
  maxWritingPerClient: number;
}

/** A large answer as it is asked for. */
export interface LargeRequest {
  asker: Asker;
  /** Works the answer out anew, so that nothing of it is held until its turn. */
  find: () => KeyAnswer | Promise<KeyAnswer>;
  /** Absent: a JSON answer. */
  kind?: BodyKind;
}

interface Waiter {
  start(): void;
}

/** Each holds its question. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_CLIENT = 16;

/**
 * Large answers take turns by client, then by question; nobody may have more under way than there are places free. They
 * share their bytes with the cache of records, so each holds at most what one answer may be long.
 */
export class LargeAnswers {
  readonly #turns = new Turns<Waiter>();
  readonly #writing = new Map<string, number>();
  readonly #waiting = new Map<string, number>();
  readonly #pump = new BytePump();
  #writingCount = 0;
  #waitingCount = 0;

  constructor(
    private readonly limits: LargeAnswerLimits,
    private readonly bounds: ReachedClientBounds,
  ) {}

  get load(): { writing: number; waiting: number } {
    return { writing: this.#writingCount, waiting: this.#waitingCount };
  }

  /** Answers when its turn has come. Rejects with 503 when too many wait already. */
  async send(exchange: Exchange, { asker, find, kind }: LargeRequest): Promise<void> {
    if (!(await this.#enter(exchange, asker))) return;
    try {
      const answer = await find();
      if (exchange.isCutOff === true) return;
      if (!('parts' in answer)) {
        sendJsonBytes(exchange, answer);
        return;
      }
      if (kind === undefined) sendJsonHead(exchange, answer.bytes);
      else sendHead(exchange, answer.bytes, kind);
      await this.#pump.write(exchange.response, exchange.request.method === 'HEAD' ? [] : answer.parts);
    } finally {
      this.#writingCount -= 1;
      count(this.#writing, asker.key, -1);
      this.#admit();
    }
  }

  /** Resolves with `true` when its turn has come, with `false` when the client went away before. */
  async #enter({ response }: Exchange, asker: Asker): Promise<boolean> {
    const isFull = this.#waitingCount >= MAX_WAITING;
    if (isFull || (this.#waiting.get(asker.key) ?? 0) >= MAX_WAITING_PER_CLIENT) {
      this.bounds.note('large_answers', { client: asker.key, ...this.load });
      // A client that does not read keeps no connection for it.
      response.shouldKeepAlive = false;
      throw tooManyAnswers();
    }
    if (response.destroyed) return false;
    const path = [asker.key, asker.question];
    this.#wait(asker.key, 1);
    const isTurn = await new Promise<boolean>((resolve) => {
      const waiter = { start: () => resolve(true) };
      this.#turns.add(path, waiter);
      response.once('close', () => {
        this.#turns.remove(path, waiter);
        resolve(false);
      });
      this.#admit();
    });
    this.#wait(asker.key, -1);
    return isTurn;
  }

  #wait(client: string, by: number): void {
    this.#waitingCount += by;
    count(this.#waiting, client, by);
  }

  #admit(): void {
    const { maxWriting, maxWritingPerClient } = this.limits;
    for (;;) {
      let client = '';
      const free = maxWriting - this.#writingCount;
      const waiter = this.#turns.take(([key = '']) => {
        client = key;
        return (this.#writing.get(key) ?? 0) < Math.min(maxWritingPerClient, free);
      });
      if (waiter === null) return;
      this.#writingCount += 1;
      count(this.#writing, client, 1);
      waiter.start();
    }
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const now = (counts.get(key) ?? 0) + by;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}
