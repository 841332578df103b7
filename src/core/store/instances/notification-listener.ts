import type { Client } from 'pg';

import type { Logger } from '../../base/logger.js';
import { connectionSettings } from '../connection-settings.js';

export interface NotificationListenerOptions {
  url: string;
  channel: string;
  logger: Logger;
  /** Called for each notification, and when listening has begun. */
  onNotified: () => void;
}

/** Listens on a connection of its own: those of a pool are lent to others. */
export class NotificationListener {
  #client: Client | null = null;
  #connecting: Promise<void> | null = null;
  #isClosed = false;

  constructor(private readonly options: NotificationListenerOptions) {}

  /** Whether it hears at this moment, as far as is known. */
  get isListening(): boolean {
    return this.#client !== null;
  }

  /** Connects unless it does so already; to be called again and again, since connections end. Never rejects. */
  async ensure(): Promise<void> {
    if (this.#client !== null || this.#isClosed) return;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    await this.#connecting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting;
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    const { url, channel, logger, onNotified } = this.options;
    const { Client } = await import('pg');
    const client = new Client(connectionSettings(url));
    const forget = (): void => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    client.on('notification', onNotified);
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      this.#client = client;
      onNotified();
    } catch (error) {
      logger.debug({ err: error }, 'cannot listen for messages of other instances; they are looked for');
      await client.end().catch(() => undefined);
    }
  }
}
