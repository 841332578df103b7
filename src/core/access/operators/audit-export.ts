import { eachPage } from '../../store/lists/record-list.js';
import type { AuditEvent, AuditFilter, StoredAuditLog } from './stored-audit-log.js';

/** Comma-separated values with a head (RFC 4180), or one JSON object a line. */
export type ExportFormat = 'csv' | 'jsonl';

const PAGE_ROWS = 500;

/** The columns in their order, with what each holds of an entry. */
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

/** Which entries, in which form, and what of their details is shown. */
export interface AuditExport {
  filter: AuditFilter;
  format: ExportFormat;
  shown: (detail: unknown) => unknown;
}

/** The audit table as text, newest first, a page at a time. */
export async function* exportAudit(
  auditLog: StoredAuditLog,
  { filter, format, shown }: AuditExport,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${Object.keys(COLUMNS).join(',')}\r\n`;
  for await (const { rows } of eachPage((at) => auditLog.page(filter, { ...at, size: PAGE_ROWS }))) {
    const events = rows.map(({ row }) => ({ ...row, detail: shown(row.detail) }));
    if (events.length > 0) yield events.map(format === 'csv' ? csvLine : jsonLine).join('');
  }
}

function jsonLine(event: AuditEvent): string {
  const cells = Object.entries(COLUMNS).map(([name, cellOf]) => [name, cellOf(event)]);
  return `${JSON.stringify(Object.fromEntries(cells))}\n`;
}

function csvLine(event: AuditEvent): string {
  const cells = Object.values(COLUMNS).map((cellOf) => csvCell(cellOf(event)));
  return `${cells.join(',')}\r\n`;
}

/** Signs with which spreadsheets take a cell for a formula, ordinary and full-width. */
const FORMULA = /^[\s]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u;

/** A quoted cell. What a spreadsheet would run gets an apostrophe before it, which shows as text. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
