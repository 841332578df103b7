import { readFile } from 'node:fs/promises';

import type { Clock } from '../../../base/clock.js';
import { Deadline } from '../../../base/deadline.js';
import type { Attempted, Carrier } from './outbox-sender.js';
import type { OutboxItem } from './outbox-store.js';
import { postJson, sentenceOf, type OutboxAgents } from './post-json.js';
import { SIGNATURE_HEADER, signWebhook } from './webhook-signature.js';

/** A destination of the configuration. */
export interface Webhook {
  name: string;
  url: string;
  secret?: string | undefined;
  /** File that holds the secret, read anew at each attempt. */
  secret_path?: string | undefined;
  /** What is sent beside the watches that name it. */
  tells: readonly ('alarms' | 'health')[];
  allow_private: boolean;
}

export interface WebhookCarrierOptions {
  find(name: string): Webhook | null;
  agents: OutboxAgents;
  clock: Clock;
  userAgent: string;
  timeoutMs: number;
  giveUpAfterMs: number;
}

/** An answer is read no further. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Answers that say nothing about one item, but that the receiver does not work now. */
const AWAY = new Set([408, 425, 429]);

/** Posts JSON. Redirects are not followed; every answer but 2xx is a failure. */
export function webhookCarrier(options: WebhookCarrierOptions): Carrier {
  return {
    giveUpAfterMs: options.giveUpAfterMs,
    carry: (item, signal) => {
      const hook = options.find(item.destination);
      return hook === null ? Promise.resolve(gone(item)) : post(hook, item, { ...options, signal });
    },
  };
}

/** What the configuration no longer names. */
export function gone({ channel, destination }: OutboxItem): Attempted {
  return { outcome: 'failed', message: `The configuration has no ${channel} named ${destination} any more.` };
}

async function post(
  hook: Webhook,
  item: OutboxItem,
  { agents, clock, userAgent, timeoutMs, signal }: WebhookCarrierOptions & { signal: AbortSignal },
): Promise<Attempted> {
  const body = Buffer.from(item.payload);
  const deadline = new Deadline(timeoutMs, signal);
  try {
    const signature = signWebhook(await secretOf(hook), body, clock.now());
    const { status } = await postJson(new URL(hook.url), body, {
      agents: agents[hook.allow_private ? 'private' : 'guarded'],
      userAgent,
      headers: { 'Vidimus-Delivery': String(item.id), [SIGNATURE_HEADER]: signature },
      maxAnswerBytes: MAX_ANSWER_BYTES,
      deadline,
    });
    if (status >= 200 && status < 300) return { outcome: 'done', message: `Answered ${status}.` };
    return { outcome: 'retry', message: `Answered ${status}.`, isAway: status >= 500 || AWAY.has(status) };
  } catch (error) {
    return { outcome: 'retry', message: sentenceOf(error, deadline), isAway: true };
  } finally {
    deadline.close();
  }
}

async function secretOf({ secret, secret_path: path }: Webhook): Promise<string> {
  const read = secret ?? (await readFile(path ?? '', 'utf8')).trim();
  if (read === '') throw new Error('The secret is empty.');
  return read;
}
