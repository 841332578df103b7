import { eachPage } from '../../store/lists/record-list.js';
import type { AuditEvent, AuditFilter, StoredAuditLog } from './stored-audit-log.js';

const PAGE_ROWS = 500;

/** The columns in their order. */
const COLUMNS: Readonly<Record<string, (event: AuditEvent) => unknown>> = {
  id: ({ id }) => id,
  time: ({ ts }) => new Date(ts).toISOString(),
  actor: ({ actor }) => actor,
  role: ({ role }) => role,
  method: ({ method }) => method,
  action: ({ action }) => action,
  target_type: ({ targetType }) => targetType,
  target_id: ({ targetId }) => targetId,
  summary: ({ summary }) => summary,
  outcome: ({ outcome }) => outcome,
  address: ({ address }) => address,
  request_id: ({ requestId }) => requestId,
  detail: ({ detail }) => detail,
};

/** Which entries, as CSV with a head (RFC 4180) or one JSON object a line, and what is shown of their details. */
export interface AuditExport {
  filter: AuditFilter;
  format: 'csv' | 'jsonl';
  shown: (detail: unknown) => unknown;
}

/** The audit table as text, newest first, a page at a time. */
export async function* exportAudit(
  auditLog: StoredAuditLog,
  { filter, format, shown }: AuditExport,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(Object.keys(COLUMNS));
  for await (const { rows } of eachPage((at) => auditLog.page(filter, { ...at, size: PAGE_ROWS })))
    for (const { row } of rows) {
      const event = { ...row, detail: shown(row.detail) };
      const cells = Object.entries(COLUMNS).map(([name, cellOf]) => [name, cellOf(event)] as const);
      if (format === 'jsonl') yield `${JSON.stringify(Object.fromEntries(cells))}\n`;
      else yield csvLine(cells.map(([, value]) => csvCell(value)));
    }
}

function csvLine(cells: readonly string[]): string {
  return `${cells.join(',')}\r\n`;
}

/** Signs with which spreadsheets take a cell for a formula, ordinary and full-width. */
const FORMULA = /^[\s]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u;

/** A quoted cell. An apostrophe keeps spreadsheets from running a formula; they show it as text. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}
