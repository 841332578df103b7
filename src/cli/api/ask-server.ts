import { setTimeout as sleep } from 'node:timers/promises';

import type { Config } from '../../config/schema.js';
import { isRecord, valueAt } from '../../core/base/json/is-record.js';
import { toPlainJson } from '../../core/base/json/json-value.js';
import { parseStrictJson } from '../../core/base/json/strict-json.js';
import { commandActor } from '../audited.js';
import { requireConfig, type ConfigOption } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { withAccess } from '../store-session.js';
import { note } from '../terminal/print.js';
import { textAt, type Ask, type Variables } from './operation.js';

/** Above what the server itself allows an operation. */
const BOUNDS = { timeoutMs: 150_000, maxAnswerBytes: 64 * 1024 * 1024 };

/** For one operation, in all: what is counted by the minute is taken again within one. */
const LONGEST_WAIT_MS = 60_000;
/** Shorter waits are not worth a word. */
const TOLD_WAIT_MS = 2000;

/** What the API tells those it does not know, by admin.graphql.ad_hoc; it tells commands neither. */
const OF_ANONYMOUS = new Set(['UNAUTHENTICATED', 'OPERATION_NOT_TRUSTED']);

export type ApiAnswer = Readonly<Record<string, unknown>>;

/**
 * Sends one document to the running server; resolves to the whole answer, errors of GraphQL included. Of all commands
 * the server takes so many a second: what it refused for that is sent again when it says so.
 */
export type Send = (document: string, variables: Variables) => Promise<ApiAnswer>;

/**
 * Runs work with the API of the server that runs with this configuration. Whoever may write its database is an
 * administrator: each request brings a secret that stands there for it alone.
 */
export async function withServer<T>(option: ConfigOption, work: (send: Send) => Promise<T>): Promise<T> {
  const { config } = requireConfig(option);
  // Only commands that ask the server load what speaks HTTP.
  const { askOwn } = await import('../../server/own-listener.js');
  const url = await apiOf(config);
  return withAccess(option, ({ codes }) =>
    work((query, variables) =>
      patiently(async () => {
        const secret = await codes.createForCommand(commandActor());
        const headers = { 'Content-Type': 'application/json', Authorization: `Command ${secret}` };
        const body = JSON.stringify({ query, variables });
        const request = { method: 'POST', headers, body, ...BOUNDS } as const;
        return readAnswer(url, await askOwn(url, request).catch((error: unknown) => failed(url, error)));
      }),
    ),
  );
}

async function patiently(send: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  for (let waitedMs = 0; ;) {
    const answer = await send();
    const waitMs = waitAfter(answer);
    if (waitMs === null || waitedMs + waitMs > LONGEST_WAIT_MS) return answer;
    if (waitMs >= TOLD_WAIT_MS) note(`The server takes no more for ${Math.ceil(waitMs / 1000)} s; waiting.`);
    await sleep(waitMs);
    waitedMs += waitMs;
  }
}

/** `null` when it was not refused for its rate, or a part of it ran: an error with a path is one of that part. */
function waitAfter(answer: ApiAnswer): number | null {
  const refusal = valueAt(answer, ['errors', 0]);
  const waitMs = valueAt(refusal, ['extensions', 'retryAfterMs']);
  const isWhole = valueAt(refusal, ['path']) === undefined && (answer['data'] ?? null) === null;
  const isForRate = textAt(refusal, 'extensions.code') === 'RATE_LIMITED';
  return isWhole && isForRate && typeof waitMs === 'number' ? waitMs : null;
}

/** The same for documents with one root field; what the API refuses ends the command in a sentence. */
export function askWith(send: Send, lists: string | undefined): Ask {
  return async (document, variables) => {
    const answer = await send(document, variables);
    const refusal = valueAt(answer, ['errors', 0]);
    if (refusal !== undefined) throw new CommandError(`${textAt(refusal, 'message')}.`);
    const { data } = answer;
    const value = isRecord(data) ? Object.values(data)[0] : undefined;
    const code = textAt(value, 'userErrors.0.code');
    if (code === '') return value;
    const hint =
      code === 'NOT_FOUND' && lists !== undefined ? ` "vidimus ${lists}" shows what there is.` : '';
    throw new CommandError(`${textAt(value, 'userErrors.0.message')}.${hint}`);
  };
}

async function apiOf(config: Config): Promise<URL> {
  const { ownListener } = await import('../../server/own-listener.js');
  const listener = ownListener(config, 'admin');
  if (typeof listener === 'string') throw new CommandError(listener, EXIT.use);
  return new URL(`${config.admin.base_path}/api/graphql`, listener);
}

function failed(url: URL, error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  const advice = 'Start the server with "vidimus serve", or name its configuration with --config.';
  throw new CommandError(`No answer from ${url.href}: ${why}. ${advice}`, EXIT.unreachable);
}

function readAnswer(url: URL, { status, body }: { status: number; body: Buffer }): ApiAnswer {
  const answer = parse(body);
  if (!isRecord(answer) || (answer['data'] === undefined && answer['errors'] === undefined)) {
    const said = isRecord(answer) && typeof answer['error'] === 'string' ? `: ${answer['error']}` : '';
    const sentence = `${url.href} answered with status ${status}${said}. Is it the server of this configuration?`;
    throw new CommandError(sentence, EXIT.unreachable);
  }
  if (OF_ANONYMOUS.has(textAt(answer, 'errors.0.extensions.code'))) {
    throw new CommandError(
      'The server does not find what this command left in the database: it runs with another one. Name its configuration with --config.',
    );
  }
  return answer;
}

function parse(body: Buffer): unknown {
  try {
    return toPlainJson(parseStrictJson(body, { floats: 'keep' }));
  } catch {
    return null;
  }
}
