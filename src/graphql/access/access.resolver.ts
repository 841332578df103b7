import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';

import { lookupBy } from '../common/batch-loader.js';
import { connectionTo, type Connection } from '../common/connection.js';
import { ForwardArgs, pageRequest } from '../common/page-args.js';
import { Requires } from '../common/requires.js';
import type { GraphqlContext } from '../context.js';
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
export const sessionById = lookupBy(
  (ids: readonly string[], { services }: GraphqlContext) => services.access.sessions.findMany(ids),
  ({ id }) => id,
  (session, { viewer }) => toSession(session, viewer?.sessionId ?? null),
);

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
