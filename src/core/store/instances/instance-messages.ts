import { randomUUID } from 'node:crypto';

import type { Client } from 'pg';
import { z } from 'zod';

import type { Logger } from '../../base/logger.js';
import { connectionSettings } from '../../base/connection-settings.js';
import type { Database } from '../db.js';
import { notify } from '../hot-sql.js';

/**
 * Hears the messages of one topic: which keys changed on another instance; `null`: any of them, since messages may have
 * been missed.
 */
export type Receiver = (keys: readonly string[] | null) => void | Promise<void>;

const CHANNEL = 'vidimus_message';
/** PostgreSQL refuses payloads of 8,000 bytes and more. A larger message is sent without its keys. */
const MAX_MESSAGE_BYTES = 7900;
const BEAT = '';
/** Other instances may run another version: keys in another form count as lost. */
const KEYS = z.array(z.string()).nullable().catch(null);
const MESSAGE = z.object({ sender: z.string(), topic: z.string(), keys: KEYS });

/**
 * Tells the instances on one PostgreSQL database what changed, so that they drop it from their caches (LISTEN and
 * NOTIFY). Nothing is stored: when messages may have been missed, receivers drop everything. SQLite has one instance,
 * and nothing is sent.
 */
export class InstanceMessages {
  readonly #self = randomUUID();
  readonly #receivers = new Map<string, Receiver>();
  /** Topics of messages that could not be sent; the others drop everything of them. */
  readonly #unsent = new Set<string>();
  /** A connection of its own: those of a pool are lent to others. */
  #client: Client | null = null;
  #connecting: Promise<void> | null = null;
  #wasConnected = false;
  #isClosed = false;
  #hasHeardBeat = true;
  #handling: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Pick<Database, 'client' | 'listenUrl'>,
    private readonly logger: Logger,
  ) {}

  /** Hears what others send from now on; one receiver a topic. */
  on(topic: string, receiver: Receiver): void {
    this.#receivers.set(topic, receiver);
  }

  /** Tells all others. Never rejects: while the database is away the topic waits for the next `beat`. */
  async send(topic: string, keys: readonly string[] | null = null): Promise<void> {
    if (this.database.listenUrl === null) return;
    try {
      await this.#notify(topic, keys);
    } catch (error) {
      this.#unsent.add(topic);
      this.logger.warn(
        { err: error, topic },
        'could not notify other instances; the change is sent when the database is back',
      );
    }
  }

  /** Listens unless it does, to be awaited before anything is cached. Never rejects. */
  async open(): Promise<void> {
    const { listenUrl } = this.database;
    if (listenUrl === null || this.#client !== null || this.#isClosed) return;
    this.#connecting ??= this.#connect(listenUrl).finally(() => {
      this.#connecting = null;
    });
    await this.#connecting;
  }

  /**
   * To be called every 30 s. Connects again if need be, and sends a message to itself: when the last one did not
   * arrive, caches are dropped. LISTEN may fail silently behind a pooler. Rejects when the database is away.
   */
  async beat(): Promise<void> {
    if (this.database.listenUrl === null) return;
    await this.open();
    if (!this.#hasHeardBeat) this.#enqueue(() => this.#tellLost());
    this.#hasHeardBeat = false;
    for (const topic of this.#unsent) {
      await this.#notify(topic);
      this.#unsent.delete(topic);
    }
    await this.#notify(BEAT);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting;
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
    await this.#handling;
  }

  async #connect(url: string): Promise<void> {
    const { Client } = await import('pg');
    const client = new Client(connectionSettings(url));
    const forget = (): void => {
      if (this.#client !== client) return;
      this.#client = null;
      void this.open();
    };
    client.on('error', forget);
    client.on('end', forget);
    client.on('notification', ({ payload = '' }) => this.#enqueue(() => this.#hear(payload)));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.#client = client;
      if (this.#wasConnected) this.#enqueue(() => this.#tellLost());
      this.#wasConnected = true;
    } catch (error) {
      this.logger.debug({ err: error }, 'cannot listen for messages of other instances');
      await client.end().catch(() => undefined);
    }
  }

  async #notify(topic: string, keys: readonly string[] | null = null): Promise<void> {
    const text = JSON.stringify({ sender: this.#self, topic, keys });
    if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) return this.#notify(topic);
    await notify(this.database.client, CHANNEL, text);
  }

  #enqueue(work: () => Promise<void>): void {
    this.#handling = this.#handling.then(work).catch((error: unknown) => this.#logFailure(error));
  }

  async #hear(text: string): Promise<void> {
    const { sender, topic, keys } = MESSAGE.parse(JSON.parse(text));
    if (sender !== this.#self) await this.#receivers.get(topic)?.(keys);
    else if (topic === BEAT) this.#hasHeardBeat = true;
  }

  async #tellLost(): Promise<void> {
    this.logger.warn({}, 'messages of other instances may have been missed: caches are dropped');
    const received = Array.from(this.#receivers.values(), async (receive) => receive(null));
    for (const each of await Promise.allSettled(received))
      if (each.status === 'rejected') this.#logFailure(each.reason);
  }

  #logFailure(error: unknown): void {
    this.logger.error({ err: error }, 'a message of another instance could not be applied');
  }
}
