import { Router, type RequestHandler } from 'express';

import { exportAudit } from '../../core/access/operators/audit-export.js';
import type { Privacy } from '../../core/access/operators/privacy.js';
import type { AuditFilter, StoredAuditLog } from '../../core/access/operators/stored-audit-log.js';
import { MAX_SEARCH_CHARACTERS } from '../../core/store/lists/keyset-filter.js';
import { invalidParam } from '../../core/base/errors/api-error.js';
import { AUDIT_ACTIONS, AUDIT_OUTCOMES } from '../../core/access/operators/audit.js';
import { Query } from '../params.js';
import { exchangeOf } from '../request-exchange.js';
import { serve } from '../serve.js';
import { requireRole, type AdminRequestOptions } from './admin-request.js';
import { exportEntry, sendExport } from './send-export.js';

/** What the export is built from. */
export interface AuditRoutesOptions extends AdminRequestOptions {
  auditLog: StoredAuditLog;
  privacy: Privacy;
}

/**
 * `GET …/api/audit/export?format=csv|jsonl` for operators, with the filters of the list: search, actor, action,
 * outcome, changes_only, after, before (ISO 8601). That somebody took it along is in the audit table, too.
 */
export function auditRoutes(options: AuditRoutesOptions): Router {
  const router = Router();
  const get: RequestHandler = async (request, response) => {
    const viewer = await requireRole('operator', request, options);
    const query = new Query(request.url);
    const format = query.choice('format', ['csv', 'jsonl']) ?? 'csv';
    const filter = filterOf(query);
    await options.auditLog.record({
      ...exportEntry(viewer, exchangeOf(response).requestId),
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
  serve(router, { label: 'admin', path: '/api/audit/export', get });
  return router;
}

function filterOf(query: Query): AuditFilter {
  const search = query.text('search');
  // Once the answer has begun nobody can be told.
  if ((search?.length ?? 0) > MAX_SEARCH_CHARACTERS) {
    throw invalidParam(`Query parameter 'search' has at most ${MAX_SEARCH_CHARACTERS} characters`);
  }
  return {
    search,
    actor: query.text('actor'),
    action: query.choice('action', AUDIT_ACTIONS),
    outcome: query.choice('outcome', AUDIT_OUTCOMES),
    changesOnly: query.choice('changes_only', ['true', 'false']) === 'true',
    afterTs: query.time('after'),
    beforeTs: query.time('before'),
  };
}
