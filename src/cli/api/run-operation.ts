import { setTimeout as sleep } from 'node:timers/promises';

import { isRecord } from '../../core/base/json/is-record.js';
import { printable } from '../../core/base/text/strings.js';
import type { JsonOption } from '../configuration.js';
import { CommandError, note, print, printJson, printTable } from '../terminal.js';
import { askWith, withServer } from './ask-server.js';
import {
  at,
  textAt,
  valuesAt,
  word,
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

export function runLine(run: unknown): string {
  const counts = valuesAt(run, 'counts').map((one) => `${textAt(one, 'value')} ${word('name')(one)}`);
  const done = counts.length === 0 ? '' : `: ${counts.join(', ')}`;
  return `${textAt(run, 'job.name')} ${word('outcome')(run)}${done}. ${textAt(run, 'message')}`.trimEnd();
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
