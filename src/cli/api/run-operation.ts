import { setTimeout as sleep } from 'node:timers/promises';

import type { Config } from '../../config/schema.js';
import { isRecord } from '../../core/base/json/is-record.js';
import { toPlainJson } from '../../core/base/json/json-value.js';
import { parseJsonOrNull } from '../../core/base/json/strict-json.js';
import { printable } from '../../core/base/text/strings.js';
import { askOwn, ownListener } from '../../server/own-listener.js';
import { requireConfig, type ConfigOption, type JsonOption } from '../configuration.js';
import { commandActor, withAccess } from '../open-database.js';
import { CommandError, EXIT, note, print, printJson, printTable } from '../terminal.js';
import {
  at,
  runLine,
  textAt,
  valuesAt,
  type Ask,
  type Cell,
  type Operation,
  type Variables,
} from './operation.js';

export interface OperationOption extends JsonOption {
  limit?: number;
}

const PAGE_ROWS = 100;
const POLL_MS = 500;
const RUN = `query ($id: ID!) { jobRun(id: $id) {
  id job { name } outcome message startedAt finishedAt counts { name value } } }`;

export async function runOperation(
  operation: Operation,
  given: Variables,
  { limit = PAGE_ROWS, ...option }: OperationOption,
): Promise<void> {
  await withServer(option, async (send) => {
    const ask = askWith(send);
    const variables = (await operation.complete?.(given, ask)) ?? given;
    const answer = operation.document.includes('$after')
      ? await collect(operation.document, variables, { ask, limit })
      : await withRun(await ask(operation.document, variables), ask);
    if (option.json) printJson(answer);
    else show(operation, answer);
  });
}

/** Pages of a search may be short; they are followed to the end. */
async function collect(
  document: string,
  variables: Variables,
  { ask, limit }: { ask: Ask; limit: number },
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let after: unknown = null; found.length < limit;) {
    const first = Math.min(PAGE_ROWS, limit - found.length);
    const page = await ask(document, { ...variables, first, after });
    found.push(...valuesAt(page, 'nodes'));
    if (at(page, 'pageInfo.hasNextPage') !== true) break;
    after = at(page, 'pageInfo.endCursor');
  }
  return found;
}

/** Waits for the run that an answer names, if any. Throws unless it succeeds. */
async function withRun(answer: unknown, ask: Ask): Promise<unknown> {
  if (!isRecord(answer)) return answer;
  const { userErrors: _, ...rest } = answer;
  const id = textAt(rest, 'run.id');
  if (id === '') return rest;
  let run = await ask(RUN, { id });
  for (; at(run, 'outcome') === 'RUNNING'; run = await ask(RUN, { id })) await sleep(POLL_MS);
  if (at(run, 'outcome') !== 'OK') throw new CommandError(runLine(run));
  return { ...rest, run };
}

function show({ shows }: Operation, answer: unknown): void {
  if (typeof shows === 'function') {
    print(...[shows(answer)].flat().map(printable));
    return;
  }
  const found = valuesAt(answer, shows.rows ?? '');
  const rows = shows.order?.(found) ?? found;
  const cells = Object.values(shows.columns);
  if (rows.length === 0) note(shows.empty);
  else
    printTable(
      Object.keys(shows.columns),
      rows.map((row) => cells.map((cell) => cellText(row, cell))),
    );
}

function cellText(row: unknown, cell: Cell): string {
  const value = typeof cell === 'function' ? cell(row) : at(row, cell);
  if (value === null || value === undefined || value === '') return '—';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return textAt(value, '');
}

/** Above what the server itself allows an operation. */
const TIMEOUT_MS = 150_000;

/** The API's codes for clients that it does not know. */
const UNKNOWN_CLIENT = new Set(['UNAUTHENTICATED', 'OPERATION_NOT_TRUSTED']);

type ApiAnswer = Readonly<Record<string, unknown>>;

/** Sends one document to the running server; resolves to the whole answer, errors of GraphQL included. */
type Send = (document: string, variables: Variables) => Promise<ApiAnswer>;

/**
 * Gives work the API of the server that runs with this configuration. A user who may write its database counts as an
 * administrator: each request carries a secret that was stored there for this request alone.
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
function askWith(send: Send): Ask {
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
  const answer = toPlainJson(parseJsonOrNull(body));
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
