import { AUDIT_OUTCOMES } from '../../core/access/operators/audit.js';
import { choiceParameter, textParameter, timeParameter } from './query-parameter.js';
import type { Route, RouteMethod } from './route.js';

/** In which form the audit table goes out. */
export const AUDIT_FORMAT = choiceParameter('format', ['csv', 'jsonl'], 'csv');

/** Filters of the audit table, the same as those of the list. */
export const AUDIT_FILTER = {
  search: textParameter('search'),
  actor: textParameter('actor'),
  action: textParameter('action'),
  outcome: choiceParameter('outcome', AUDIT_OUTCOMES, null),
  changesOnly: choiceParameter('changes_only', ['true', 'false'], 'false'),
  after: timeParameter('after'),
  before: timeParameter('before'),
};

const READ: readonly RouteMethod[] = ['GET', 'HEAD'];

/** A path below `admin.base_path`. */
function operatorsRoute(path: string, methods: Route['methods']): Route {
  return { label: 'admin', folders: [''], path, methods };
}

/** What operators' pages and scripts ask. */
export const OPERATOR_ROUTES = {
  session: operatorsRoute('/session', ['GET', 'HEAD', 'POST', 'DELETE']),
  graphql: operatorsRoute('/api/graphql', ['POST']),
  media: operatorsRoute('/api/media/{mediaId}', READ),
  thumbnail: operatorsRoute('/api/media/{mediaId}/thumbnail/{size}', READ),
  auditExport: operatorsRoute('/api/audit/export', ['GET']),
};

/** The pages, which are served for every other path, and the redirect at the root to them. */
export const PAGE_ROUTES = {
  page: operatorsRoute('/{page}', READ),
  root: operatorsRoute('/', READ),
};
