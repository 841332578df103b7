import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { MINUTE_MS, type Clock, HOUR_MS, SECOND_MS } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import { fetchTrusted } from '../../net/http/trusted-client.js';
import type { HealthLine } from '../health/health.js';

/** Setting alerts.webhook, with an address. */
export interface WebhookTarget {
  url: string;
  secret: string | null;
  /** File that holds the secret, read at each attempt. */
  secretPath: string | null;
}

/** How one attempt went; the message never holds the address, which may carry a token. */
export interface Attempt {
  isDelivered: boolean;
  message: string;
}

export interface WebhookOptions {
  clock: Clock;
  userAgent: string;
  onAttempt: (outcome: 'delivered' | 'failed' | 'dropped') => void;
}

interface Message {
  id: string;
  body: Buffer;
  createdTs: number;
}

const RETRY_FOR_MS = HOUR_MS;
const MAX_WAITING = 1000;
const LIMITS = { timeoutMs: 10 * SECOND_MS, maxBodyBytes: 64 * 1024 };

/** Sends messages to the one webhook of the configuration, in order; each is retried for an hour. Lives in memory. */
export class Webhook {
  #target: WebhookTarget | null = null;
  #queue: Message[] = [];
  #droppedTs: number | null = null;
  #error: string | null = null;

  constructor(private readonly options: WebhookOptions) {}

  /** `null`: nothing is sent, and what waits is forgotten. */
  set target(target: WebhookTarget | null) {
    this.#target = target;
    this.#error = null;
    if (target === null) this.#queue = [];
  }

  /** What the health check says of deliveries; `error`: why the last attempt failed. */
  get state() {
    return {
      isConfigured: this.#target !== null,
      waiting: this.#queue.length,
      droppedTs: this.#droppedTs,
      error: this.#error,
    };
  }

  /** Queues a message; drops it when too many wait. */
  add(payload: object): void {
    if (this.#target === null) return;
    if (this.#queue.length < MAX_WAITING) this.#queue.push(this.#messageOf(payload));
    else this.#noteDropped();
  }

  /** Sends what waits until an attempt fails. Messages that are too old are dropped. */
  async flush(): Promise<void> {
    const oldestTs = this.options.clock.now() - RETRY_FOR_MS;
    while (this.#target !== null && this.#queue[0] !== undefined) {
      const [message] = this.#queue;
      const attempt = await this.#post(this.#target, message);
      if (!attempt.isDelivered && message.createdTs >= oldestTs) return;
      if (!attempt.isDelivered) this.#noteDropped();
      if (this.#queue[0] === message) this.#queue.shift();
    }
  }

  /** Sends a test at once; `null`: no webhook is configured. */
  async test(payload: object): Promise<Attempt | null> {
    return this.#target === null ? null : this.#post(this.#target, this.#messageOf(payload));
  }

  #messageOf(payload: object): Message {
    const createdTs = this.options.clock.now();
    return { id: randomUUID(), body: Buffer.from(JSON.stringify({ ...payload, ts: createdTs })), createdTs };
  }

  async #post(target: WebhookTarget, { id, body }: Message): Promise<Attempt> {
    const { clock, userAgent, onAttempt } = this.options;
    let attempt: Attempt;
    try {
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
        'User-Agent': userAgent,
        'Vidimus-Delivery': id,
        'Vidimus-Signature': signatureOf(await secretOf(target), body, clock.now()),
      };
      const url = new URL(target.url);
      const { status } = await fetchTrusted({ url, headers, body, ...LIMITS });
      attempt = { isDelivered: status >= 200 && status < 300, message: `The webhook answered ${status}.` };
    } catch (error) {
      attempt = { isDelivered: false, message: sentenceOf(error) };
    }
    onAttempt(attempt.isDelivered ? 'delivered' : 'failed');
    this.#error = attempt.isDelivered ? null : attempt.message;
    return attempt;
  }

  #noteDropped(): void {
    this.#droppedTs = this.options.clock.now();
    this.options.onAttempt('dropped');
  }
}

/** `t=SECONDS,v1=HEX`: HMAC-SHA256 under the secret over `SECONDS.BODY`. */
function signatureOf(secret: string, body: Buffer, nowTs: number): string {
  const seconds = Math.floor(nowTs / SECOND_MS);
  const mac = createHmac('sha256', secret).update(`${seconds}.`).update(body);
  return `t=${seconds},v1=${mac.digest('hex')}`;
}

async function secretOf({ secret, secretPath }: WebhookTarget): Promise<string> {
  const read = secret ?? (await readFile(secretPath ?? '', 'utf8')).trim();
  if (read === '') throw new Error('The secret of the webhook is empty.');
  return read;
}

function sentenceOf(error: unknown): string {
  if (error instanceof ApiError && error.reason?.startsWith('timeout_') === true)
    return 'The webhook did not answer in 10 s.';
  const why = error instanceof ApiError ? (error.detail ?? error.message) : String(error);
  return `The webhook failed: ${why.replace(/^Error: /, '').replace(/\.$/, '')}.`;
}

/** A flapping check is sent at most once in this time. */
const QUIET_MS = 10 * MINUTE_MS;

/** A check as it was last sent. */
interface Sent {
  isFailed: boolean;
  ts: number;
}

/** Which health checks the webhook is to be sent: those that began to fail, and those that recovered since. */
export class HealthAlarms {
  readonly #sent = new Map<string, Sent>();

  constructor(private readonly clock: Clock) {}

  /** A check that is unproved keeps what was last sent of it. */
  changed(checks: readonly HealthLine[]): HealthLine[] {
    const nowTs = this.clock.now();
    return checks.filter(({ id, state }) => {
      const sent = this.#sent.get(id) ?? { isFailed: false, ts: -Infinity };
      const isFailed = state === 'failed';
      if (state === 'not_yet_proved' || isFailed === sent.isFailed || nowTs - sent.ts < QUIET_MS)
        return false;
      this.#sent.set(id, { isFailed, ts: nowTs });
      return true;
    });
  }
}
