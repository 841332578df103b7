import { randomUUID } from 'node:crypto';

import type { Client } from 'pg';
import { z } from 'zod';

import type { Logger } from '../../base/logger.js';
import { connectionSettings } from '../connection-settings.js';
import type { Database } from '../db.js';
import { notify } from '../hot-sql.js';

/** What hears the messages of one topic. */
export interface Receiver<Payload> {
  /** Other instances may run another version: a payload that does not fit counts as lost. */
  schema: z.ZodType<Payload>;
  /** Called with each message of another instance, in their order. */
  receive(payload: Payload): void | Promise<void>;
  /** Called when messages may have been missed: everything cached has to be dropped. */
  lost(): void | Promise<void>;
}

const CHANNEL = 'vidimus_message';
/** PostgreSQL refuses payloads of 8,000 bytes and more. A larger message is sent without its payload. */
const MAX_MESSAGE_BYTES = 7900;
const BEAT = '';
const MESSAGE = z.object({ sender: z.string(), topic: z.string(), payload: z.unknown() });

/**
 * Tells the instances on one PostgreSQL database what changed, so that they drop it from their caches (LISTEN and
 * NOTIFY). Nothing is stored: when messages may have been missed, receivers drop everything. SQLite has one instance,
 * and nothing is sent.
 */
export class InstanceMessages {
  readonly #self = randomUUID();
  readonly #receivers = new Map<string, (payload: unknown) => Promise<void>>();
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
  on<Payload>(topic: string, receiver: Receiver<Payload>): void {
    this.#receivers.set(topic, async (raw) => {
      const payload = receiver.schema.safeParse(raw);
      await (payload.success ? receiver.receive(payload.data) : receiver.lost());
    });
  }

  /** Tells all others. Never rejects: while the database is away the topic waits for the next `beat`. */
  async send(topic: string, payload: object): Promise<void> {
    if (this.database.listenUrl === null) return;
    try {
      await this.#notify(topic, payload);
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
      await this.#notify(topic, null);
      this.#unsent.delete(topic);
    }
    await this.#notify(BEAT, null);
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

  async #notify(topic: string, payload: object | null): Promise<void> {
    const message = (content: object | null): string =>
      JSON.stringify({ sender: this.#self, topic, payload: content });
    const whole = message(payload);
    const text = Buffer.byteLength(whole) > MAX_MESSAGE_BYTES ? message(null) : whole;
    await notify(this.database.client, CHANNEL, text);
  }

  #enqueue(work: () => Promise<void>): void {
    this.#handling = this.#handling.then(work);
  }

  async #hear(text: string): Promise<void> {
    const { sender, topic, payload } = MESSAGE.parse(JSON.parse(text));
    if (sender !== this.#self) await this.#tell(topic, payload);
    else if (topic === BEAT) this.#hasHeardBeat = true;
  }

  async #tellLost(): Promise<void> {
    this.logger.warn({}, 'messages of other instances may have been missed: caches are dropped');
    for (const topic of this.#receivers.keys()) await this.#tell(topic, null);
  }

  /** One receiver that fails keeps nothing from the others. */
  async #tell(topic: string, payload: unknown): Promise<void> {
    try {
      await this.#receivers.get(topic)?.(payload);
    } catch (error) {
      this.logger.error({ err: error, topic }, 'a message of another instance could not be applied');
    }
  }
}
