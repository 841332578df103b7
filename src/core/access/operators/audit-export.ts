import type { AuditEvent, AuditFilter, StoredAuditLog } from './stored-audit-log.js';

/** Comma-separated values with a head (RFC 4180), or one JSON object a line. */
export type ExportFormat = 'csv' | 'jsonl';

const PAGE_ROWS = 500;

const FIELDS = [
  'id',
  'time',
  'actor',
  'role',
  'method',
  'action',
  'target_type',
  'target_id',
  'summary',
  'outcome',
  'address',
  'request_id',
  'detail',
] as const;

type ExportRow = Record<(typeof FIELDS)[number], unknown>;

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
  if (format === 'csv') yield `${FIELDS.join(',')}\r\n`;
  for (let cursor: string | null = null; ;) {
    const page = await auditLog.page(filter, { direction: 'forward', size: PAGE_ROWS, cursor });
    const rows = page.rows.map(({ row }) => toExportRow({ ...row, detail: shown(row.detail) }));
    if (rows.length > 0) yield rows.map(format === 'csv' ? csvLine : jsonLine).join('');
    if (!page.hasNextPage) return;
    cursor = page.endCursor;
  }
}

function toExportRow(event: AuditEvent): ExportRow {
  const { id, ts, actor, role, method, action, summary, outcome, address, detail } = event;
  return {
    id,
    time: new Date(ts).toISOString(),
    actor,
    role,
    method,
    action,
    target_type: event.targetType,
    target_id: event.targetId,
    summary,
    outcome,
    address,
    request_id: event.requestId,
    detail,
  };
}

function jsonLine(row: ExportRow): string {
  return `${JSON.stringify(row)}\n`;
}

function csvLine(row: ExportRow): string {
  return `${FIELDS.map((field) => csvCell(row[field])).join(',')}\r\n`;
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
