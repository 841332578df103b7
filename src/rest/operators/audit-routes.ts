import { Router, type RequestHandler } from 'express';

import { exportAudit } from '../../core/access/operators/audit-export.js';
import type { Privacy } from '../../core/access/operators/privacy.js';
import type { AuditFilter, StoredAuditLog } from '../../core/access/operators/stored-audit-log.js';
import { MAX_SEARCH_CHARACTERS } from '../../core/store/sql/sql.js';
import { invalidParam } from '../../core/base/errors/api-error.js';
import { AUDIT_FILTER, AUDIT_FORMAT, OPERATOR_ROUTES } from '../api/operator-routes.js';
import { serveRoute } from '../api/serve-route.js';
import type { ExchangeOf } from '../app.js';
import { queryOf } from '../params.js';
import { requireRole, type AdminRequestOptions } from './admin-request.js';
import { exportEntry, sendExport } from './send-export.js';

/** What the export is built from. */
export interface AuditRoutesOptions extends AdminRequestOptions {
  auditLog: StoredAuditLog;
  privacy: Privacy;
  exchangeOf: ExchangeOf;
}

/**
 * `GET …/api/audit/export?format=csv|jsonl` for operators, with the filters of the list: search, actor, action,
 * outcome, changes_only, after, before (ISO 8601). That somebody took it along is in the audit table, too.
 */
export function auditRoutes(options: AuditRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  const get: RequestHandler = async (request, response) => {
    const viewer = await requireRole('operator', request, options);
    const query = queryOf(request.url);
    const format = AUDIT_FORMAT.read(query, request.url);
    const filter = filterOf(query, request.url);
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
  };
  serveRoute(router, { route: OPERATOR_ROUTES.auditExport, pathPrefix: '', handlers: { get } });
  return router;
}

function filterOf(query: URLSearchParams, target: string): AuditFilter {
  const search = AUDIT_FILTER.search.read(query, target);
  // Once the answer has begun nobody can be told.
  if ((search?.length ?? 0) > MAX_SEARCH_CHARACTERS) {
    throw invalidParam(`Query parameter 'search' has at most ${MAX_SEARCH_CHARACTERS} characters`);
  }
  return {
    search,
    actor: AUDIT_FILTER.actor.read(query, target),
    action: AUDIT_FILTER.action.read(query, target),
    outcome: AUDIT_FILTER.outcome.read(query, target),
    changesOnly: AUDIT_FILTER.changesOnly.read(query, target) === 'true',
    afterTs: AUDIT_FILTER.after.read(query, target),
    beforeTs: AUDIT_FILTER.before.read(query, target),
  };
}
