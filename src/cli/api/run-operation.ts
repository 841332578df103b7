import { isRecord } from '../../core/base/json/is-record.js';
import type { ConfigOption } from '../configuration.js';
import { formatTs, note, print, printJson, printTable } from '../terminal/print.js';
import { printable } from '../../core/base/text/printable.js';
import { askWith, withServer } from './ask-server.js';
import { at, textAt, type Ask, type Cell, type Operation, type Shown, type Variables } from './operation.js';

/** What every such command takes. */
export interface OperationOption extends ConfigOption {
  json?: true;
  limit?: number;
}

const PAGE_ROWS = 100;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Asks the running server and shows what it said. */
export async function runOperation(
  operation: Operation,
  given: Variables,
  option: OperationOption,
): Promise<void> {
  await withServer(option, async (send) => {
    const ask = askWith(send, operation.lists);
    const variables = (await operation.complete?.(given, ask)) ?? given;
    const first = isPaged(operation)
      ? await collect(operation.document, variables, { ask, limit: option.limit ?? PAGE_ROWS })
      : await ask(operation.document, variables);
    const answer = (await operation.follow?.(first, ask)) ?? first;
    if (option.json) printJson(plain(answer));
    else show(operation.shows, answer);
  });
}

/** Whether it is a list that may have more pages. */
export function isPaged({ document }: Operation): boolean {
  return document.includes('$after');
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
    found.push(...rowsOf(page));
    if (at(page, 'pageInfo.hasNextPage') !== true) break;
    after = at(page, 'pageInfo.endCursor');
  }
  return found;
}

/** Rows of a list or of a connection. */
function rowsOf(value: unknown): readonly unknown[] {
  const rows = isRecord(value) ? value['nodes'] : value;
  return Array.isArray(rows) ? rows : [];
}

/** An answer for scripts, without what went well. */
function plain(answer: unknown): unknown {
  if (!isRecord(answer)) return answer;
  const { userErrors: _, ...rest } = answer;
  return rest;
}

function show(shows: Shown, answer: unknown): void {
  if (typeof shows === 'function') {
    print(...[shows(answer)].flat().map(printable));
    return;
  }
  const rows = rowsOf(at(answer, shows.rows ?? ''));
  if (rows.length === 0) note(shows.empty);
  else {
    const cells = Object.values(shows.columns);
    printTable(
      Object.keys(shows.columns),
      rows.map((row) => cells.map((cell) => cellText(row, cell))),
    );
  }
}

function cellText(row: unknown, cell: Cell): string {
  const value = typeof cell === 'function' ? cell(row) : at(row, cell);
  if (value === null || value === undefined || value === '') return '—';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' && ISO_TIME.test(value)) return formatTs(Date.parse(value));
  return Array.isArray(value) ? value.join(', ') : textAt(value, '');
}
