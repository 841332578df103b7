import { Router, type RequestHandler } from 'express';

import type { StoredAuditLog } from '../../core/access/operators/stored-audit-log.js';
import { invalidParam, notFound } from '../../core/base/errors/api-error.js';
import { parseServerName } from '../../core/notary/federation/server-name.js';
import { HISTORY_SERVER, OPERATOR_ROUTES } from '../api/operator-routes.js';
import { serveRoute } from '../api/serve-route.js';
import type { ExchangeOf } from '../app.js';
import { queryOf } from '../params.js';
import { requireRole, type AdminRequestOptions } from './admin-request.js';
import { exportEntry, sendExport } from './send-export.js';

/** What the export is built from. */
export interface KeyHistoryRoutesOptions extends AdminRequestOptions {
  auditLog: StoredAuditLog;
  exchangeOf: ExchangeOf;
  /** `null` for a server that nothing is known of. Throws 503 until the store is open. */
  exportKeyHistory(serverName: string): Promise<AsyncIterable<string> | null>;
}

/**
 * `GET …/api/keys/export?server=NAME` for operators: all that is stored of the history of a server's keys as JSON
 * Lines with our signature, which is in the audit table, too. 404 for a server that nothing is known of.
 */
export function keyHistoryRoutes(options: KeyHistoryRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  const get: RequestHandler = async (request, response) => {
    const viewer = await requireRole('operator', request, options);
    const serverName = HISTORY_SERVER.read(queryOf(request.url), request.url) ?? '';
    if (parseServerName(serverName) === null)
      throw invalidParam("Query parameter 'server' is no server name");
    const text = await options.exportKeyHistory(serverName);
    if (text === null) throw notFound();
    await options.auditLog.record({
      ...exportEntry(viewer, options.exchangeOf(response).requestId),
      action: 'exportKeyHistory',
      targetType: 'RemoteServer',
      targetId: serverName,
      summary: `Exported the history of the keys of ${serverName}`,
      detail: null,
    });
    const fileName = `${serverName.replaceAll(/[^\w.-]/g, '_')}.history.jsonl`;
    await sendExport(response, text, { type: 'application/jsonl', fileName });
  };
  serveRoute(router, { route: OPERATOR_ROUTES.historyExport, pathPrefix: '', handlers: { get } });
  return router;
}
