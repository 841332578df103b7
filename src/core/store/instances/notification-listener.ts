import type { Client } from 'pg';

import type { Logger } from '../../base/logger.js';
import { connectionSettings } from '../connection-settings.js';

export interface ListenerOptions {
  channel: string;
  /** Called with the text of each notification. */
  onMessage: (text: string) => void;
  /** Called when it listens again after a connection was lost. */
  onReconnected: () => void;
}

/** Listens on a connection of its own: those of a pool are lent to others. */
export class NotificationListener {
  #client: Client | null = null;
  #connecting: Promise<void> | null = null;
  #wasConnected = false;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly options: ListenerOptions,
    private readonly logger: Logger,
  ) {}

  /** Connects unless it is connected; to be called again and again, since connections end. Never rejects. */
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
    const { channel, onMessage, onReconnected } = this.options;
    const { Client } = await import('pg');
    const client = new Client(connectionSettings(this.url));
    const forget = (): void => {
      if (this.#client !== client) return;
      this.#client = null;
      void this.ensure();
    };
    client.on('error', forget);
    client.on('end', forget);
    client.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      this.#client = client;
      if (this.#wasConnected) onReconnected();
      this.#wasConnected = true;
    } catch (error) {
      this.logger.debug({ err: error }, 'cannot listen for messages of other instances');
      await client.end().catch(() => undefined);
    }
  }
}
