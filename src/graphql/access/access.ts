import { GraphQLJSON } from 'graphql-scalars';
import { Arg, Args, ArgsType, Ctx, ID, InputType, Int, ObjectType, Query, Resolver } from 'type-graphql';

import { AUDIT_ACTIONS, type AuditAction as CoreAction } from '../../core/access/operators/audit.js';
import type { AdminSessionInfo } from '../../core/access/operators/session-store.js';
import type {
  AuditEvent as CoreAuditEvent,
  AuditFilter as CoreFilter,
} from '../../core/access/operators/stored-audit-log.js';
import { hasRole } from '../../core/access/operators/viewer.js';
import {
  checkNewToken,
  type AccessTokenInfo,
  type TokenScope as CoreScope,
} from '../../core/access/users/access-token-store.js';
import { DAY_MS } from '../../core/base/clock.js';
import { type Connection, connectionOf, connectionTo } from '../common/connection.js';
import { withDates } from '../common/dates.js';
import { DeletePayload, nothingDeleted } from '../common/deletion.js';
import { Role, RunOutcome, SignInMethod, wordsEnum } from '../common/enums.js';
import { field, inputFields, nullable } from '../common/fields.js';
import { graphqlError } from '../common/graphql-errors.js';
import { keyOfNodeId, nodeFields, toNodeId } from '../common/ids.js';
import { ArgsMutation, mutationArgs, payloadFields, payloadOf, userError } from '../common/mutation.js';
import { forwardArgs, ForwardArgs, pageRequest } from '../common/page-args.js';
import { Requires } from '../common/requires.js';
import { type GraphqlContext, viewerOf } from '../context.js';

export const TokenScope = wordsEnum<CoreScope>('TokenScope', 'What a token may do', {
  preview: 'Request previews',
  admin_read: 'Read this API, as a viewer',
  admin_operate: 'Use this API as an operator',
  admin_write: 'Use this API as an admin',
  metrics: 'Read metrics',
});

@ObjectType({ description: 'An access token, without its secret' })
export class ApiToken extends nodeFields({
  name: field(String, 'Name, also shown in the audit log'),
  hint: field(String, 'First characters of the secret'),
  scopes: field([TokenScope], 'Permissions'),
  user: nullable(String, 'User whose previews it requests; null for other scopes'),
  createdAt: field(Date, 'When it was created'),
  createdBy: field(String, 'Who created it'),
  expiresAt: nullable(Date, 'When it expires; null: never'),
  lastUsedAt: nullable(Date, 'When it was last used; null: never'),
  revokedAt: nullable(Date, 'When it was revoked; null if it was not'),
}) {}

const ApiTokenConnection = connectionOf('ApiToken', () => ApiToken);

@ObjectType({ description: 'A signed-in browser' })
export class AdminSession extends nodeFields({
  actor: field(String, 'Who signed in'),
  method: field(SignInMethod, 'How they signed in'),
  createdAt: field(Date, 'When they signed in'),
  lastSeenAt: field(Date, 'Time of the latest request'),
  expiresAt: field(Date, 'When it expires'),
  address: nullable(String, 'Network address of the browser'),
  userAgent: nullable(String, 'User-Agent of the browser'),
  isCurrent: field(Boolean, 'Whether this request belongs to it'),
}) {}

export const AuditAction = wordsEnum<CoreAction>('AuditAction', 'Audited operations', AUDIT_ACTIONS);

@ObjectType({
  description: 'An entry of the audit log: a change by an operator, or an attempt',
})
export class AuditEvent extends nodeFields({
  at: field(Date, 'When it ended'),
  actor: field(String, 'Who did it'),
  role: field(Role, 'Role at that time'),
  method: field(SignInMethod, 'How they had authenticated'),
  action: field(AuditAction, 'The operation'),
  targetType: nullable(String, 'Type of the object; null for several objects or none'),
  targetId: nullable(ID, 'ID of the object'),
  summary: field(String, 'The operation as an imperative sentence; see outcome for its result'),
  outcome: field(RunOutcome, 'OK, FAILED or CANCELLED'),
  address: nullable(String, 'Network address of the client'),
  requestId: field(String, 'ID of the request'),
  detail: nullable(GraphQLJSON, 'Numbers, filters, values before and after'),
}) {}

const AuditEventConnection = connectionOf('AuditEvent', () => AuditEvent);

@InputType({ description: 'Filter of the audit log' })
class AuditFilter extends inputFields({
  search: nullable(String, 'Part of the sentence, actor, target or request ID'),
  actor: nullable(String, 'Who did it'),
  action: nullable(AuditAction, 'The operation'),
  outcome: nullable(RunOutcome, 'OK, FAILED or CANCELLED'),
  changesOnly: nullable(Boolean, 'Without sign-ins, trials, diagnoses and dry runs'),
  after: nullable(Date, 'Not before this time'),
  before: nullable(Date, 'Before this time'),
}) {}

@ArgsType()
class AuditEventsArgs extends forwardArgs({
  filter: nullable(AuditFilter, 'Conditions; all must hold'),
}) {}

function toApiToken(info: AccessTokenInfo): ApiToken {
  return { ...withDates(info), id: toNodeId('ApiToken', info.id), name: info.label, user: info.userId };
}

/** `currentId` is the session of the request, `null` without one. */
function toSession(session: AdminSessionInfo, currentId: string | null): AdminSession {
  const { id } = session;
  return { ...withDates(session), id: toNodeId('AdminSession', id), isCurrent: id === currentId };
}

function toAuditEvent(event: CoreAuditEvent, context: GraphqlContext): AuditEvent {
  const detail = context.services.privacy.auditDetail(viewerOf(context).role, event.detail);
  return { ...withDates(event), id: toNodeId('AuditEvent', event.id), detail };
}

function toAuditFilter({ after, before, ...rest }: AuditFilter): CoreFilter {
  return { ...rest, afterTs: after?.getTime() ?? null, beforeTs: before?.getTime() ?? null };
}

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

@ArgsType()
class CreateApiTokenArgs extends mutationArgs({
  name: field(String, 'Name, 1 to 100 characters'),
  scopes: field([TokenScope], 'Permissions; at least one'),
  user: nullable(String, 'User whose previews it requests; only with PREVIEW'),
  expiresInDays: nullable(Int, '1 to 3650; null: it never expires'),
}) {}

@ArgsType()
class RevokeApiTokenArgs extends mutationArgs({
  id: field(ID, 'ID of the token'),
}) {}

@ArgsType()
class EndSessionArgs extends mutationArgs({
  id: nullable(ID, 'ID of the session; default: the current one'),
}) {}

@ObjectType({ description: 'An access token after a change' })
class ApiTokenPayload extends payloadFields({
  token: nullable(ApiToken, 'The token; null on errors'),
  secret: nullable(String, 'Secret of a new token; it is only shown once'),
}) {}

/** Arguments by the names that the check gives them. */
const ARGUMENTS = {
  label: 'name',
  scopes: 'scopes',
  userId: 'user',
  expiresInDays: 'expiresInDays',
} as const;

@Resolver()
export class AccessMutations {
  @Requires('admin')
  @ArgsMutation(CreateApiTokenArgs, ApiTokenPayload, 'Creates an access token')
  async createApiToken(args: CreateApiTokenArgs, context: GraphqlContext): Promise<ApiTokenPayload> {
    const { services, audit } = context;
    const { scopes, user: userId = null, expiresInDays = null } = args;
    const label = args.name.trim();
    const detail = { scopes, expiresInDays };
    audit.about({
      targetType: 'ApiToken',
      summary: `Create the access token ${label.slice(0, 100)}`,
      detail,
    });
    const error = checkNewToken({ label, scopes, userId, expiresInDays });
    if (error !== null) return payloadOf([userError('INVALID', error.message, ARGUMENTS[error.member])]);
    const expiresTs = expiresInDays === null ? null : services.clock.now() + expiresInDays * DAY_MS;
    const wanted = { label, scopes, userId, expiresTs, createdBy: viewerOf(context).name };
    const { token: secret, info } = await services.access.tokens.create(wanted);
    const token = toApiToken(info);
    audit.about({ targetId: token.id });
    return { ...payloadOf(), token, secret };
  }

  @Requires('admin')
  @ArgsMutation(RevokeApiTokenArgs, ApiTokenPayload, 'Revokes an access token and ends its sessions at once')
  async revokeApiToken(
    { id: nodeId }: RevokeApiTokenArgs,
    { services, audit }: GraphqlContext,
  ): Promise<ApiTokenPayload> {
    const { tokens } = services.access;
    audit.about({ targetType: 'ApiToken', targetId: nodeId, summary: 'Revoke an access token' });
    const id = keyOfNodeId('ApiToken', nodeId);
    const isRevoked = id !== null && (await tokens.revoke(id));
    const info = id === null ? null : await tokens.find(id);
    if (info === null) return payloadOf([userError('NOT_FOUND', 'There is no such token', 'id')]);
    audit.about({ summary: `Revoke the access token ${info.label}` });
    const errors = isRevoked ? [] : [userError('CONFLICT', 'The token is already revoked', 'id')];
    return { ...payloadOf(errors), token: toApiToken(info) };
  }

  @ArgsMutation(EndSessionArgs, DeletePayload, 'Ends a session; sessions of others need the role ADMIN')
  async endSession({ id: wanted = null }: EndSessionArgs, context: GraphqlContext): Promise<DeletePayload> {
    const { services, audit } = context;
    const { role, sessionId } = viewerOf(context);
    const id = wanted === null ? sessionId : keyOfNodeId('AdminSession', wanted);
    const targetId = wanted ?? (sessionId === null ? null : toNodeId('AdminSession', sessionId));
    audit.about({ targetType: 'AdminSession', summary: 'End a session', targetId: targetId ?? undefined });
    if (targetId === null)
      return nothingDeleted(userError('INVALID', 'An access token has no session; give an ID', 'id'));
    if (id !== sessionId && !hasRole(role, 'admin')) {
      throw graphqlError('FORBIDDEN', 'Sessions of others need the role admin', { requiredRole: 'ADMIN' });
    }
    const isEnded = id !== null && (await services.access.sessions.end(id));
    if (!isEnded) return nothingDeleted(userError('NOT_FOUND', 'There is no such session', 'id'));
    return { ...payloadOf(), matched: 1, deleted: 1, freedBytes: 0 };
  }
}
