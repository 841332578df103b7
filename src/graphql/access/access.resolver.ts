import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';

import { connectionTo, type Connection } from '../common/connection.js';
import { ForwardArgs, pageRequest } from '../common/page-args.js';
import { Requires } from '../common/requires.js';
import type { BatchLookup, GraphqlContext } from '../context.js';
import { loadRows, type NodeLoader } from '../nodes/node-loader.js';
import {
  AdminSession,
  ApiTokenConnection,
  AuditEventConnection,
  AuditEventsArgs,
  toApiToken,
  toAuditEvent,
  toAuditFilter,
  toSession,
  type ApiToken,
  type AuditEvent,
} from './access.type.js';

/** Sessions that have not ended, by their key. */
export const sessionById: BatchLookup<string, AdminSession> = async (ids, { services, viewer }) => {
  const sessions = await services.access.sessions.findMany(ids);
  const currentId = viewer?.sessionId ?? null;
  const byId = new Map(sessions.map((session) => [session.id, toSession(session, currentId)]));
  return ids.map((id) => byId.get(id) ?? null);
};

const apiTokenById: BatchLookup<string, ApiToken> = async (ids, { services }) => {
  const tokens = await services.access.tokens.findMany(ids);
  const byId = new Map(tokens.map((token) => [token.id, toApiToken(token)]));
  return ids.map((id) => byId.get(id) ?? null);
};

const auditEventById = loadRows((ids, { services }) => services.access.auditLog.find(ids), toAuditEvent);

export const ACCESS_NODE_LOADERS: readonly NodeLoader[] = [
  { typeName: 'AdminSession', requires: 'admin', load: sessionById },
  { typeName: 'ApiToken', requires: 'admin', load: apiTokenById },
  { typeName: 'AuditEvent', requires: 'operator', load: auditEventById },
];

@Resolver()
export class AccessResolver {
  @Requires('admin')
  @Query(() => [AdminSession], { description: 'Sessions that have not ended' })
  async sessions(@Ctx() { services, viewer }: GraphqlContext): Promise<AdminSession[]> {
    const sessions = await services.access.sessions.list();
    return sessions.map((session) => toSession(session, viewer?.sessionId ?? null));
  }

  @Requires('admin')
  @Query(() => ApiTokenConnection, { description: 'Access tokens, newest first' })
  async apiTokens(
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Arg('includeRevoked', () => Boolean, { defaultValue: false, description: 'Also revoked tokens' })
    includeRevoked: boolean,
    @Ctx() { services }: GraphqlContext,
  ): Promise<Connection<ApiToken>> {
    const { pages } = services.access.tokens;
    return connectionTo(pages, { wanted: { includeRevoked }, request: pageRequest(args) }, toApiToken);
  }

  @Requires('operator')
  @Query(() => AuditEventConnection, { description: 'The audit log, newest first' })
  async auditEvents(
    @Args(() => AuditEventsArgs) { filter, ...args }: AuditEventsArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<AuditEvent>> {
    const { services, signal } = context;
    const asked = { wanted: toAuditFilter(filter ?? {}), request: pageRequest(args), signal };
    return connectionTo(services.access.auditLog, asked, (event) => toAuditEvent(event, context));
  }
}
