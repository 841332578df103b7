import { randomBytes } from 'node:crypto';

import { MINUTE_MS, type Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { Database } from '../db.js';
import { rawSql, sql } from '../sql/sql.js';
import type { InstanceMessages, Receiver } from './instance-messages.js';

export interface StoredMessagesOptions {
  database: Pick<Database, 'plain'>;
  clock: Clock;
  logger: Logger;
  /** Whether those who listen are told at once; else they find the row when they look. */
  notifies: boolean;
}

/** Name of the notification, within the database. */
export const MESSAGE_CHANNEL = 'vidimus_messages';

const KEPT_MS = 10 * MINUTE_MS;
const MAX_KEPT = 10_000n;
const MAX_UNSENT = 1000;
const PAGE = 200;

interface Message {
  topic: string;
  payload: string;
}

interface Row extends Message {
  seq: number | string;
  sender: string;
}

/**
 * Messages as rows with numbers without gaps. A notification says only that there are some, so that one that is lost
 * costs time alone. Rows go after ten minutes; who finds a gap is told that messages are lost.
 */
export class StoredMessages implements InstanceMessages {
  readonly #self = randomBytes(12).toString('hex');
  readonly #receivers = new Map<string, (payload: string | null) => Promise<void>>();
  #unsent: Message[] = [];
  /** Number of the last message heard; `null` until `open`. */
  #heard: bigint | null = null;
  #looking: Promise<void> | null = null;
  #isAskedAgain = false;

  constructor(private readonly options: StoredMessagesOptions) {}

  on<Payload>(topic: string, receiver: Receiver<Payload>): void {
    this.#receivers.set(topic, async (text) => {
      const payload = text === null ? null : receiver.schema.safeParse(JSON.parse(text));
      await (payload?.success === true ? receiver.receive(payload.data) : receiver.lost());
    });
  }

  async send(topic: string, payload: object): Promise<void> {
    this.#unsent.push({ topic, payload: JSON.stringify(payload) });
    await this.#sendWaiting().catch((error: unknown) => {
      this.options.logger.warn({ err: error, topic }, 'other instances are told when the database is back');
    });
  }

  /** What is sent from now on is heard. To be awaited before anything is remembered; rejects when the store is away. */
  async open(): Promise<void> {
    const [row] = await this.options.database.plain.query<{ seq: number | string | null }>(
      sql`SELECT MAX(seq) AS seq FROM instance_message`,
    );
    this.#heard = BigInt(row?.seq ?? 0);
  }

  /** Hears what others have sent; who asks meanwhile waits for another look. Rejects when the store is away. */
  look(): Promise<void> {
    this.#isAskedAgain = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /**
   * Removes what everybody has heard or lost, and what a clock that was set back has dated in the future; the last one
   * stays, since numbers go on from it.
   */
  async prune(): Promise<void> {
    const nowTs = this.options.clock.now();
    const [fromTs, toTs] = [BigInt(nowTs - KEPT_MS), BigInt(nowTs + KEPT_MS)];
    await this.options.database.plain.execute(sql`
      WITH latest AS (SELECT MAX(seq) AS seq FROM instance_message)
      DELETE FROM instance_message WHERE seq < (SELECT seq FROM latest)
        AND (sent_ts NOT BETWEEN ${fromTs} AND ${toTs} OR seq <= (SELECT seq FROM latest) - ${MAX_KEPT})`);
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      await this.#sendWaiting();
      while (await this.#hearPage());
    }
  }

  async #sendWaiting(): Promise<void> {
    const overdue = this.#unsent.length - MAX_UNSENT;
    if (overdue > 0) this.#unsent.splice(0, overdue);
    while (this.#unsent.length > 0) {
      const waiting = this.#unsent;
      this.#unsent = [];
      try {
        for (let message = waiting[0]; message !== undefined; message = waiting[0]) {
          await this.#insert(message);
          waiting.shift();
        }
      } finally {
        this.#unsent = [...waiting, ...this.#unsent];
      }
    }
  }

  /** A number that another instance took first is not taken again, and no error in the database's log. */
  async #insert({ topic, payload }: Message): Promise<void> {
    const { database, clock, notifies } = this.options;
    const insert = sql`
      INSERT INTO instance_message (seq, sender, topic, payload, sent_ts)
      SELECT COALESCE(MAX(seq), 0) + 1, CAST(${this.#self} AS TEXT), CAST(${topic} AS TEXT), CAST(${payload} AS TEXT),
        CAST(${BigInt(clock.now())} AS BIGINT)
      FROM instance_message WHERE TRUE
      ON CONFLICT (seq) DO NOTHING RETURNING seq`;
    const notify = rawSql(`CAST(pg_notify('${MESSAGE_CHANNEL}', '') AS TEXT)`);
    const statement = notifies ? sql`WITH sent AS (${insert}) SELECT seq, ${notify} FROM sent` : insert;
    while ((await database.plain.query(statement)).length === 0);
  }

  /** Resolves to whether there may be more. */
  async #hearPage(): Promise<boolean> {
    if (this.#heard === null) return false;
    const rows = await this.options.database.plain.query<Row>(sql`
      SELECT seq, sender, topic, payload FROM instance_message
      WHERE seq > ${this.#heard} ORDER BY seq LIMIT ${PAGE}`);
    for (const { seq, sender, topic, payload } of rows) {
      // Rows go by the clock of whoever sent them, so that a gap may be anywhere.
      if (BigInt(seq) > this.#heard + 1n) await this.#tellLost();
      if (sender !== this.#self) await this.#tell(topic, payload);
      this.#heard = BigInt(seq);
    }
    return rows.length === PAGE;
  }

  async #tellLost(): Promise<void> {
    this.options.logger.warn({}, 'messages of other instances were missed: what is remembered is forgotten');
    for (const topic of this.#receivers.keys()) await this.#tell(topic, null);
  }

  /** One receiver that fails keeps nothing from the others. */
  async #tell(topic: string, payload: string | null): Promise<void> {
    try {
      await this.#receivers.get(topic)?.(payload);
    } catch (error) {
      this.options.logger.error({ err: error, topic }, 'a message of another instance had no effect');
    }
  }
}
