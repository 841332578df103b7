import { Router } from 'express';

import { exportAudit, type ExportFormat } from '../../core/access/operators/audit-export.js';
import type { Privacy } from '../../core/access/operators/privacy.js';
import type { AuditFilter, StoredAuditLog } from '../../core/access/operators/stored-audit-log.js';
import { MAX_SEARCH_CHARACTERS } from '../../core/store/sql/sql.js';
import { invalidParam } from '../../core/base/errors/api-error.js';
import type { ExchangeOf } from '../app.js';
import { queryOf } from '../params.js';
import { refuseMethod } from '../refuse-method.js';
import { requireRole, type AdminRequestOptions } from './admin-request.js';
import { exportEntry, sendExport } from './send-export.js';

/** What the export is built from. */
export interface AuditRoutesOptions extends AdminRequestOptions {
  auditLog: StoredAuditLog;
  privacy: Privacy;
  exchangeOf: ExchangeOf;
}

const PATH = '/api/audit/export';

/**
 * `GET …/api/audit/export?format=csv|jsonl` for operators, with the filters of the list: search, actor, action,
 * outcome, after, before (ISO 8601). That somebody took it along is in the audit table, too.
 */
export function auditRoutes(options: AuditRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  router.get(PATH, async (request, response) => {
    const viewer = await requireRole('operator', request, options);
    const query = queryOf(request.url);
    const format = formatOf(query);
    const filter = filterOf(query);
    await options.auditLog.record({
      ...exportEntry(viewer, options.exchangeOf(response).requestId),
      action: 'exportAudit',
      summary: `Exported the audit table as ${format === 'csv' ? 'CSV' : 'JSON lines'}`,
      detail: { format, ...filter },
    });
    const shown = (detail: unknown): unknown => options.privacy.auditDetail(viewer.role, detail);
    const isCsv = format === 'csv';
    await sendExport(response, exportAudit(options.auditLog, { filter, format, shown }), {
      type: isCsv ? 'text/csv' : 'application/jsonl',
      fileName: `audit.${format}`,
    });
  });
  router.all(PATH, refuseMethod('GET'));
  return router;
}

function formatOf(query: URLSearchParams): ExportFormat {
  const format = query.get('format') ?? 'csv';
  if (format === 'csv' || format === 'jsonl') return format;
  throw invalidParam("Query parameter 'format' must be csv or jsonl");
}

function filterOf(query: URLSearchParams): AuditFilter {
  const search = query.get('search');
  // Once the answer has begun nobody can be told.
  if ((search?.length ?? 0) > MAX_SEARCH_CHARACTERS) {
    throw invalidParam(`Query parameter 'search' has at most ${MAX_SEARCH_CHARACTERS} characters`);
  }
  return {
    search,
    actor: query.get('actor'),
    action: query.get('action'),
    outcome: query.get('outcome'),
    afterTs: timeOf(query, 'after'),
    beforeTs: timeOf(query, 'before'),
  };
}

function timeOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  const ts = Date.parse(text);
  if (Number.isNaN(ts))
    throw invalidParam(`Query parameter '${name}' must be a time such as 2026-11-20T00:00:00Z`);
  return ts;
}
