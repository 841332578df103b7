import type { Config } from '../../config/schema.js';
import { isRecord } from '../../core/base/json/is-record.js';
import { toPlainJson } from '../../core/base/json/json-value.js';
import { parseStrictJson } from '../../core/base/json/strict-json.js';
import { askOwn, ownListener } from '../../server/own-listener.js';
import { requireConfig, type ConfigOption } from '../configuration.js';
import { CommandError, EXIT } from '../terminal.js';
import { commandActor, withAccess } from '../open-database.js';
import { at, textAt, type Ask, type Variables } from './operation.js';

/** Above what the server itself allows an operation. */
const TIMEOUT_MS = 150_000;

/** The API's codes for clients that it does not know. */
const UNKNOWN_CLIENT = new Set(['UNAUTHENTICATED', 'OPERATION_NOT_TRUSTED']);

export type ApiAnswer = Readonly<Record<string, unknown>>;

/** Sends one document to the running server; resolves to the whole answer, errors of GraphQL included. */
export type Send = (document: string, variables: Variables) => Promise<ApiAnswer>;

/**
 * Runs work with the API of the server that runs with this configuration. Whoever may write its database is an
 * administrator: each request brings a secret that was stored there for this request alone.
 */
export async function withServer<T>(option: ConfigOption, work: (send: Send) => Promise<T>): Promise<T> {
  const url = apiOf(requireConfig(option).config);
  return withAccess(option, ({ codes }) =>
    work(async (query, variables) => {
      const secret = await codes.createForCommand(commandActor());
      const headers = { 'Content-Type': 'application/json', Authorization: `Command ${secret}` };
      const body = JSON.stringify({ query, variables });
      const asked = askOwn(url, { method: 'POST', headers, body, timeoutMs: TIMEOUT_MS });
      return readAnswer(url, await asked.catch((error: unknown) => failed(url, error)));
    }),
  );
}

/** The same for documents with one root field; an error of the API ends the command. */
export function askWith(send: Send): Ask {
  return async (document, variables) => {
    const answer = await send(document, variables);
    const value = isRecord(answer['data']) ? Object.values(answer['data'])[0] : undefined;
    const error = textAt(answer, 'errors.0.message') || textAt(value, 'userErrors.0.message');
    if (error !== '') throw new CommandError(`${error}.`);
    return value;
  };
}

function apiOf(config: Config): URL {
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
    const detail = textAt(answer, 'error');
    throw new CommandError(
      `${url.href} answered with status ${status}${detail === '' ? '' : `: ${detail}`}. Is it the server of this configuration?`,
      EXIT.unreachable,
    );
  }
  if (UNKNOWN_CLIENT.has(String(at(answer, 'errors.0.extensions.code'))))
    throw new CommandError(
      'The server uses another database than this command. Name its configuration with --config.',
    );
  return answer;
}

function parse(body: Buffer): unknown {
  try {
    return toPlainJson(parseStrictJson(body, { floats: 'keep' }));
  } catch {
    return null;
  }
}
