import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';

import { connectionTo, type Connection } from '../common/connection.js';
import { ForwardArgs, pageRequest } from '../common/page-args.js';
import { Requires } from '../common/requires.js';
import type { GraphqlContext } from '../context.js';
import { ApiTokenConnection, toApiToken, type ApiToken } from './api-token.type.js';
import {
  AuditEventConnection,
  AuditEventsArgs,
  toAuditEvent,
  toAuditFilter,
  type AuditEvent,
} from './audit-event.type.js';
import { AdminSession, toSession } from './session.type.js';

/** Who may come in, and what those who did have changed. */
@Resolver()
export class AccessResolver {
  @Requires('admin')
  @Query(() => [AdminSession])
  async sessions(@Ctx() { services, viewer }: GraphqlContext): Promise<AdminSession[]> {
    const sessions = await services.access.sessions.list();
    return sessions.map((session) => toSession(session, viewer?.sessionId ?? null));
  }

  @Requires('admin')
  @Query(() => ApiTokenConnection)
  async apiTokens(
    @Args(() => ForwardArgs) args: ForwardArgs,
    @Arg('includeRevoked', () => Boolean, { defaultValue: false }) includeRevoked: boolean,
    @Ctx() { services }: GraphqlContext,
  ): Promise<Connection<ApiToken>> {
    const { pages } = services.access.tokens;
    return connectionTo(pages, { wanted: { includeRevoked }, request: pageRequest(args) }, toApiToken);
  }

  @Requires('operator')
  @Query(() => AuditEventConnection)
  async auditEvents(
    @Args(() => AuditEventsArgs) { filter, ...args }: AuditEventsArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<Connection<AuditEvent>> {
    const { services, signal } = context;
    const asked = { wanted: toAuditFilter(filter ?? {}), request: pageRequest(args), signal };
    return connectionTo(services.access.auditLog, asked, (event) => toAuditEvent(event, context));
  }
}
