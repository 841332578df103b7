import type { BatchLookup } from '../context.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import { toApiToken, type ApiToken } from './api-token.type.js';
import { toAuditEvent } from './audit-event.type.js';
import { toSession, type AdminSession } from './session.type.js';

/** Sessions that can be used, by their key. */
export const sessionById: BatchLookup<string, AdminSession> = async (ids, { services, viewer }) => {
  const sessions = await services.access.sessions.findMany(ids);
  const currentId = viewer?.sessionId ?? null;
  const byId = new Map(sessions.map((session) => [session.id, toSession(session, currentId)]));
  return ids.map((id) => byId.get(id) ?? null);
};

/** Access tokens by their key, revoked ones included. */
const apiTokenById: BatchLookup<string, ApiToken> = async (ids, { services }) => {
  const tokens = await services.access.tokens.findMany(ids);
  const byId = new Map(tokens.map((token) => [token.id, toApiToken(token)]));
  return ids.map((id) => byId.get(id) ?? null);
};

/** Audit entries by row number, as text. */
const auditEventById = loadRows((ids, { services }) => services.access.auditLog.find(ids), toAuditEvent);

export const ACCESS_NODE_LOADERS: readonly NodeLoader[] = [
  { typeName: 'AdminSession', requires: 'admin', load: sessionById },
  { typeName: 'ApiToken', requires: 'admin', load: apiTokenById },
  { typeName: 'AuditEvent', requires: 'operator', load: auditEventById },
];
