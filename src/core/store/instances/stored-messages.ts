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
  /** The first number that is still kept. */
  first: number | string;
}

/**
 * Messages as rows with numbers without gaps. A notification says only that there are some, so that one that is lost
 * costs time alone. Rows go after ten minutes; who has missed some is told that they are lost.
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

  /** Removes what everybody has heard or lost; the last one stays, since numbers go on from it. */
  async prune(): Promise<void> {
    const beforeTs = BigInt(this.options.clock.now() - KEPT_MS);
    await this.options.database.plain.execute(sql`
      DELETE FROM instance_message USING (SELECT MAX(seq) AS seq FROM instance_message) AS latest
      WHERE instance_message.seq < latest.seq
        AND (sent_ts < ${beforeTs} OR instance_message.seq <= latest.seq - ${MAX_KEPT})`);
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
    const notify = notifies ? rawSql(`, CAST(pg_notify('${MESSAGE_CHANNEL}', '') AS TEXT)`) : rawSql('');
    const statement = sql`
      WITH sent AS (
        INSERT INTO instance_message (seq, sender, topic, payload, sent_ts)
        SELECT COALESCE(MAX(seq), 0) + 1, CAST(${this.#self} AS TEXT), CAST(${topic} AS TEXT), CAST(${payload} AS TEXT),
          CAST(${BigInt(clock.now())} AS BIGINT)
        FROM instance_message
        ON CONFLICT (seq) DO NOTHING RETURNING seq)
      SELECT seq${notify} FROM sent`;
    while ((await database.plain.query(statement)).length === 0);
  }

  /** Resolves to whether there may be more. */
  async #hearPage(): Promise<boolean> {
    if (this.#heard === null) return false;
    const rows = await this.options.database.plain.query<Row>(sql`
      SELECT seq, sender, topic, payload, (SELECT MIN(seq) FROM instance_message) AS first FROM instance_message
      WHERE seq > ${this.#heard} ORDER BY seq LIMIT ${PAGE}`);
    const [row] = rows;
    if (row !== undefined && BigInt(row.first) > this.#heard + 1n) await this.#tellLost();
    for (const { seq, sender, topic, payload } of rows) {
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
